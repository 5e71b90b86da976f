-- An implementation of Lua's patterns (reference manual 5.4.1) in Lua. string.find and related functions run in C
-- without a Lua instruction and so cannot be interrupted, while a pattern may need exponential time. sandbox.lua uses
-- this file for calls that could take long. Returns {find, match, gmatch, gsub} with the arguments of the originals.
local byte, char, sub, find = string.byte, string.char, string.sub, string.find
local concat, error, type, tostring, unpack, select = table.concat, error, type, tostring, unpack, select

local OPEN, POSITION, CLOSE, BALANCE, FRONTIER, BACK, END, ONE, MAYBE, ANY_NUMBER, FEW = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local UNFINISHED, IS_POSITION = -1, -2
local QUANTIFIERS = { [63] = MAYBE, [42] = ANY_NUMBER, [45] = FEW }
local MOST_CAPTURES = 32

-- Sets of bytes, one for each class or [set] in use. The original function determines the members.
local sets, set_count = {}, 0
local function set_of(text)
  local set = sets[text]
  if not set then
    if set_count >= 200 then
      sets, set_count = {}, 0
    end
    set = {}
    for b = 0, 255 do
      if find(char(b), text) then
        set[b] = true
      end
    end
    sets[text], set_count = set, set_count + 1
  end
  return set
end

-- Returns the index after the single item that starts at i.
local function item_end(p, i, length)
  local c = byte(p, i)
  i = i + 1
  if c == 37 then
    if i > length then
      error("malformed pattern (ends with '%')", 0)
    end
    return i + 1
  elseif c == 91 then
    if byte(p, i) == 94 then
      i = i + 1
    end
    repeat
      if i > length then
        error("malformed pattern (missing ']')", 0)
      end
      local inner = byte(p, i)
      i = i + 1
      if inner == 37 and i <= length then
        i = i + 1
      end
    until byte(p, i) == 93
    return i + 1
  end
  return i
end

local compiled, compiled_count = {}, 0

-- Compiles a pattern into a list of items. i is the start, after the anchor if that has its meaning.
local function compile(p, i)
  local key = i .. p
  local items = compiled[key]
  if items then
    return items
  end
  items = {}
  local length, n, captures = #p, 0, 0
  local function add(item)
    n = n + 1
    items[n] = item
  end
  while i <= length do
    local c = byte(p, i)
    local following = byte(p, i + 1)
    if c == 40 then
      captures = captures + 1
      if captures > MOST_CAPTURES then
        error("too many captures", 0)
      end
      if following == 41 then
        add({ POSITION })
        i = i + 2
      else
        add({ OPEN })
        i = i + 1
      end
    elseif c == 41 then
      add({ CLOSE })
      i = i + 1
    elseif c == 36 and i == length then
      add({ END })
      i = i + 1
    elseif c == 37 and following == 98 then
      if i + 3 > length then
        error("unbalanced pattern", 0)
      end
      add({ BALANCE, byte(p, i + 2), byte(p, i + 3) })
      i = i + 4
    elseif c == 37 and following == 102 then
      if byte(p, i + 2) ~= 91 then
        error("missing '[' after '%f' in pattern", 0)
      end
      local stop = item_end(p, i + 2, length)
      add({ FRONTIER, set_of(sub(p, i + 2, stop - 1)) })
      i = stop
    elseif c == 37 and following and following >= 48 and following <= 57 then
      add({ BACK, following - 48 })
      i = i + 2
    else
      local stop = item_end(p, i, length)
      local text = sub(p, i, stop - 1)
      local set
      if c == 37 or c == 91 or c == 46 then
        set = set_of(text)
      else
        set = { [c] = true }
      end
      local quantifier = byte(p, stop)
      if quantifier == 43 then
        add({ ONE, set })
        add({ ANY_NUMBER, set })
        i = stop + 1
      elseif QUANTIFIERS[quantifier] then
        add({ QUANTIFIERS[quantifier], set })
        i = stop + 1
      else
        add({ ONE, set })
        i = stop
      end
    end
  end
  if compiled_count >= 100 then
    compiled, compiled_count = {}, 0
  end
  compiled[key], compiled_count = items, compiled_count + 1
  return items
end

-- Matches at si. m holds the subject (s), the items and the captures. Returns the index after the match, or nil.
local function run(m, si, pi)
  local s, items = m.s, m.items
  while true do
    local item = items[pi]
    if not item then
      return si
    end
    local op, set = item[1], item[2]
    if op == ONE then
      if not set[byte(s, si) or -1] then
        return nil
      end
      si, pi = si + 1, pi + 1
    elseif op == ANY_NUMBER then
      local last = si
      while set[byte(s, last) or -1] do
        last = last + 1
      end
      while last >= si do
        local stop = run(m, last, pi + 1)
        if stop then
          return stop
        end
        last = last - 1
      end
      return nil
    elseif op == FEW then
      while true do
        local stop = run(m, si, pi + 1)
        if stop then
          return stop
        end
        if not set[byte(s, si) or -1] then
          return nil
        end
        si = si + 1
      end
    elseif op == MAYBE then
      if set[byte(s, si) or -1] then
        local stop = run(m, si + 1, pi + 1)
        if stop then
          return stop
        end
      end
      pi = pi + 1
    elseif op == OPEN or op == POSITION then
      local level = m.level + 1
      m.level = level
      m.starts[level] = si
      m.lengths[level] = op == OPEN and UNFINISHED or IS_POSITION
      local stop = run(m, si, pi + 1)
      if not stop then
        m.level = level - 1
      end
      return stop
    elseif op == CLOSE then
      local level = m.level
      while level > 0 and m.lengths[level] ~= UNFINISHED do
        level = level - 1
      end
      if level == 0 then
        error("invalid pattern capture", 0)
      end
      m.lengths[level] = si - m.starts[level]
      local stop = run(m, si, pi + 1)
      if not stop then
        m.lengths[level] = UNFINISHED
      end
      return stop
    elseif op == END then
      if si ~= #s + 1 then
        return nil
      end
      pi = pi + 1
    elseif op == BALANCE then
      local open, close = item[2], item[3]
      if byte(s, si) ~= open then
        return nil
      end
      local depth, at = 1, si + 1
      while true do
        local c = byte(s, at)
        if not c then
          return nil
        elseif c == close then
          depth = depth - 1
          if depth == 0 then
            break
          end
        elseif c == open then
          depth = depth + 1
        end
        at = at + 1
      end
      si, pi = at + 1, pi + 1
    elseif op == FRONTIER then
      if set[si > 1 and byte(s, si - 1) or 0] or not set[byte(s, si) or 0] then
        return nil
      end
      pi = pi + 1
    else
      local level = item[2]
      local length = level > 0 and level <= m.level and m.lengths[level] or UNFINISHED
      if length == IS_POSITION then
        return nil
      elseif length == UNFINISHED then
        error("invalid capture index", 0)
      end
      local start = m.starts[level]
      if length > 0 and sub(s, si, si + length - 1) ~= sub(s, start, start + length - 1) then
        return nil
      end
      si, pi = si + length, pi + 1
    end
  end
end

local function capture(m, i, from, stop)
  if i > m.level then
    if i ~= 1 then
      error("invalid capture index", 0)
    end
    return sub(m.s, from, stop - 1)
  end
  local length = m.lengths[i]
  if length == IS_POSITION then
    return m.starts[i]
  elseif length == UNFINISHED then
    error("unfinished capture", 0)
  end
  return sub(m.s, m.starts[i], m.starts[i] + length - 1)
end

local function captures(m, from, stop)
  local all, count = {}, m.level == 0 and 1 or m.level
  for i = 1, count do
    all[i] = capture(m, i, from, stop)
  end
  return unpack(all, 1, count)
end

local function matcher(s, p, anchors)
  local anchored = anchors and byte(p, 1) == 94
  return { s = s, items = compile(p, anchored and 2 or 1), starts = {}, lengths = {}, level = 0 }, anchored
end

-- Finds the first match at or after init. Returns its machine, its start and the index after it.
local function search(s, p, init)
  init = init or 1
  if init < 0 then
    init = #s + init + 1
  end
  if init < 1 then
    init = 1
  end
  if init > #s + 1 then
    init = #s + 1
  end
  local m, anchored = matcher(s, p, true)
  for from = init, #s + 1 do
    m.level = 0
    local stop = run(m, from, 1)
    if stop then
      return m, from, stop
    end
    if anchored then
      break
    end
  end
end

local slow = {}

function slow.find(s, p, init)
  local m, from, stop = search(s, p, init)
  if not m then
    return nil
  end
  if m.level == 0 then
    return from, stop - 1
  end
  return from, stop - 1, captures(m, from, stop)
end

function slow.match(s, p, init)
  local m, from, stop = search(s, p, init)
  if not m then
    return nil
  end
  return captures(m, from, stop)
end

function slow.gmatch(s, p)
  local m = matcher(s, p, false)
  local at = 1
  return function()
    for from = at, #s + 1 do
      m.level = 0
      local stop = run(m, from, 1)
      if stop then
        at = stop == from and stop + 1 or stop
        return captures(m, from, stop)
      end
    end
    at = #s + 2
    return nil
  end
end

-- Returns the replacement of a match.
local function replacement(m, from, stop, repl, kind)
  local value
  if kind == "string" then
    if not find(repl, "%", 1, true) then
      return repl
    end
    return (slow.expand(repl, function(digit)
      if digit == 0 then
        return sub(m.s, from, stop - 1)
      end
      return tostring(capture(m, digit, from, stop))
    end))
  elseif kind == "function" then
    value = repl(captures(m, from, stop))
  else
    value = repl[capture(m, 1, from, stop)]
  end
  if not value then
    return sub(m.s, from, stop - 1)
  elseif type(value) ~= "string" and type(value) ~= "number" then
    error("invalid replacement value (a " .. type(value) .. ")", 0)
  end
  return value
end

function slow.expand(repl, group)
  local out, n, i = {}, 0, 1
  while i <= #repl do
    local c = byte(repl, i)
    local piece
    if c == 37 then
      i = i + 1
      local d = byte(repl, i)
      if d and d >= 48 and d <= 57 then
        piece = group(d - 48)
      else
        piece = d and char(d) or ""
      end
    else
      piece = char(c)
    end
    n = n + 1
    out[n] = piece
    i = i + 1
  end
  return concat(out)
end

function slow.gsub(s, p, repl, most)
  local kind = type(repl)
  if kind == "number" then
    repl, kind = tostring(repl), "string"
  end
  if kind ~= "string" and kind ~= "function" and kind ~= "table" then
    error("bad argument #3 to 'gsub' (string/function/table expected)", 0)
  end
  local m, anchored = matcher(s, p, true)
  local out, n, count, from = {}, 0, 0, 1
  most = most or #s + 1
  while count < most do
    m.level = 0
    local stop = run(m, from, 1)
    if stop then
      count = count + 1
      n = n + 1
      out[n] = replacement(m, from, stop, repl, kind)
    end
    if stop and stop > from then
      from = stop
    elseif from <= #s then
      n = n + 1
      out[n] = sub(s, from, from)
      from = from + 1
    else
      break
    end
    if anchored then
      break
    end
  end
  n = n + 1
  out[n] = sub(s, from)
  return concat(out), count
end

return slow
