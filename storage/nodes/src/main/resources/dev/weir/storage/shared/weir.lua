-- The layout of Weir: one string for each digest (docs/operate/nodes.md#layouts), in the shard of its hash tag.
-- It has the renewal, the flags with value and time, and the shingles with the mask of the known ones; the side hashes
-- of HTML may follow.
local COMPLETE, WITH_SIDES = '\255\255\255\255', 284

local function read(text)
  local bar = string.find(text, '|', 1, true) or #text + 1
  local semicolon = string.find(text, ';', 1, true) or 0
  local hash = {renewed = tonumber(string.sub(text, 1, semicolon - 1)) or 0, flags = {},
    signature = string.sub(text, bar + 1)}
  for flag, value, time in string.gmatch(string.sub(text, semicolon + 1, bar - 1), '(%-?%d+):(%-?%d+):(%d+)') do
    hash.flags[#hash.flags + 1] = {flag = flag, value = value, time = tonumber(time)}
  end
  return hash
end

function parse(state)
  return read(state)
end

function stamp(_, flag)
  return flag.time
end

function join(hash, offered)
  hash.renewed = math.max(hash.renewed, offered.renewed)
  if hash.signature == '' then
    hash.signature = offered.signature
  end
end

function load(digest)
  local text = redis.pcall('GET', prefix .. digest)
  return read(type(text) == 'string' and text or '')
end

function encode(hash)
  if #hash.flags == 0 then
    return ''
  end
  local flags = {}
  for i, one in ipairs(hash.flags) do
    flags[i] = one.flag .. ':' .. one.value .. ':' .. whole(one.time)
  end
  return whole(hash.renewed) .. ';' .. table.concat(flags, ',') .. '|' .. hash.signature
end

function put(digest, action, state)
  local key = prefix .. digest
  if state == '' then
    redis.call('DEL', key)
  elseif expire > 0 then
    local hash = read(state)
    local last = hash.renewed
    for _, one in ipairs(hash.flags) do
      last = math.max(last, one.time)
    end
    -- The clock of Redis alone ends no life: what it counts as past is stored for the whole time.
    local left = last + expire + 1 - now
    redis.call('SET', key, state, 'EX', whole(left > 0 and left or expire + 1))
  else
    redis.call('SET', key, state)
  end
end

-- Leaves some of the flags. A hash without flags has nothing else.
local function keep(hash, left)
  if #left > 0 and left[1] ~= hash.flags[1] then
    promote(left)
  end
  hash.flags = left
  if #left == 0 then
    hash.renewed, hash.signature = 0, ''
  end
end

-- Leaves out what has expired by the clock of Redis, if that of the node agrees.
local function bury(hash)
  if expire <= 0 or skewed or hash.renewed >= now - expire then
    return
  end
  local left = {}
  for _, one in ipairs(hash.flags) do
    if one.time >= now - expire then
      left[#left + 1] = one
    end
  end
  keep(hash, left)
end

function change(hash, kind, flag, weight, time, signature)
  if kind == 'w' then
    bury(hash)
    local known
    for _, one in ipairs(hash.flags) do
      if one.flag == flag then
        known = one
      end
    end
    if known then
      known.value = sum(known.value, weight)
      known.time = math.max(known.time, time)
    else
      hash.flags[#hash.flags + 1] = {flag = flag, value = weight, time = time}
    end
    promote(hash.flags)
    local complete = string.sub(hash.signature, 1, 4) == COMPLETE
    local adds_sides = #signature == WITH_SIDES and #hash.signature ~= WITH_SIDES
      and string.sub(signature, 1, 4) == COMPLETE
    if signature ~= '' and (not complete or adds_sides) then
      hash.signature = signature
    end
  elseif kind == 'd' or kind == 'u' then
    local left, last, kept = {}, nil, false
    for _, one in ipairs(hash.flags) do
      if flag ~= '' and one.flag ~= flag then
        left[#left + 1] = one
      elseif kind == 'u' and tonumber(one.value) > 0 then
        left[#left + 1] = one
        kept = true
      else
        last = math.max(last or 0, one.time)
      end
    end
    keep(hash, left)
    return last, kept
  elseif #hash.flags > 0 then
    hash.renewed = math.max(hash.renewed, time)
  end
end
