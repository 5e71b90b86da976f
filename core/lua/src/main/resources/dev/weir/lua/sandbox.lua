-- The sandbox: the environment of a script, and the kit for the parts of Weir that communicate with it. This file
-- copies all LuaJIT functions that it uses into locals first, so that a script cannot change the behavior of this file.
--
-- Called with the host function and the slow patterns. Returns the kit:
--   env            globals of the script
--   modules        modules that require can find, by name
--   host(name,...) calls the program; its errors become Lua errors
--   class(name, methods, meta) -> new(state), state_of(object): objects of type userdata
--   enter(chunk)   runs the script's text and returns its results
local raw_host, slow = ...
local assert, error, ipairs, next, pairs, pcall, rawequal, rawget, rawset, select, setmetatable, getmetatable, tonumber, tostring, type, unpack, setfenv, newproxy, collectgarbage =
  assert, error, ipairs, next, pairs, pcall, rawequal, rawget, rawset, select, setmetatable, getmetatable, tonumber, tostring, type, unpack, setfenv, newproxy, collectgarbage
local string, table, math, os, coroutine, bit = string, table, math, os, coroutine, bit
local byte, sub, find, gsub, format = string.byte, string.sub, string.find, string.gsub, string.format

local kit = { modules = {} }

local function result(good, value)
  if not good then
    error(value or "the program failed", 0)
  end
  return value
end

function kit.host(name, ...)
  return result(raw_host(name, ...))
end

-- Objects. The state is outside of the object, so a script can neither reach nor forge it.
function kit.class(name, methods, meta)
  local prototype = newproxy(true)
  local shared = getmetatable(prototype)
  local states = setmetatable({}, { __mode = "k" })
  for key, value in pairs(meta or {}) do
    shared[key] = value
  end
  shared.__index = methods
  shared.__metatable = name
  shared.__tostring = shared.__tostring or function()
    return name
  end
  local function new(state)
    local object = newproxy(prototype)
    states[object] = state
    return object
  end
  local function state_of(object)
    local state = object ~= nil and states[object]
    if not state then
      error(name .. " expected, use ':' for methods", 3)
    end
    return state
  end
  local function is(object)
    return type(object) == "userdata" and states[object] ~= nil
  end
  return new, state_of, is
end

-- Patterns. The original function handles a call that certainly ends within about a million steps, or within somewhat
-- more if it reads the text only once from start to end. A "^" anchors a pattern, except in gmatch, where it is an
-- ordinary character.
local CHEAP = 1000000
local CHEAP_ONCE = 8 * CHEAP
local costs, cost_count = {}, 0
local function cheap(length, pattern, anchors)
  if #pattern > 1000 then
    return false
  end
  local cost = costs[pattern]
  if not cost then
    local _, loops = gsub(pattern, "[*+%-]", "%0")
    local _, more = gsub(pattern, "%%[b%d]", "%0")
    local _, choices = gsub(pattern, "%?", "%0")
    cost = { loops + more, (#pattern + 1) * 2 ^ choices }
    if cost_count >= 500 then
      costs, cost_count = {}, 0
    end
    costs[pattern], cost_count = cost, cost_count + 1
  end
  local power = cost[1] + (anchors and byte(pattern, 1) == 94 and 0 or 1)
  return (length + 1) ^ power * cost[2] <= (power <= 1 and CHEAP_ONCE or CHEAP)
end

local function text(value, position, name)
  if type(value) == "number" then
    return tostring(value)
  elseif type(value) ~= "string" then
    error(format("bad argument #%d to '%s' (string expected, got %s)", position, name, value == nil and "no value" or type(value)), 3)
  end
  return value
end

local function start_of(init, length)
  init = tonumber(init or 1) or 1
  if init < 0 then
    init = length + init + 1
  end
  return init < 1 and 1 or init
end

local safe_string = {}
for _, name in ipairs({ "byte", "char", "format", "len", "lower", "rep", "reverse", "sub", "upper" }) do
  safe_string[name] = string[name]
end

-- Whether a pattern has magic characters. A long pattern is searched piece by piece.
local function has_magic(p)
  for from = 1, #p, CHEAP do
    if find(sub(p, from, from + CHEAP - 1), "[%^%$%*%+%?%.%(%)%[%]%%%-]") then
      return true
    end
  end
  return false
end

-- Searches for plain text in windows, each of which is cheap.
local function find_plain(s, p, init)
  local from = start_of(init, #s)
  if #s * #p <= CHEAP then
    return find(s, p, from, true)
  end
  local window = math.max(1, math.floor(CHEAP / #p))
  while from + #p - 1 <= #s do
    local first, last = find(sub(s, from, from + window + #p - 2), p, 1, true)
    if first then
      return from + first - 1, from + last - 1
    end
    from = from + window
  end
  return nil
end

function safe_string.find(s, p, init, plain)
  s, p = text(s, 1, "find"), text(p, 2, "find")
  if plain or not has_magic(p) then
    return find_plain(s, p, init)
  elseif cheap(#s, p, true) then
    return find(s, p, init)
  end
  return slow.find(s, p, start_of(init, #s))
end

local native_match, native_gmatch = string.match, string.gmatch
function safe_string.match(s, p, init)
  s, p = text(s, 1, "match"), text(p, 2, "match")
  if cheap(#s, p, true) then
    return native_match(s, p, init)
  end
  return slow.match(s, p, start_of(init, #s))
end

function safe_string.gmatch(s, p)
  s, p = text(s, 1, "gmatch"), text(p, 2, "gmatch")
  return (cheap(#s, p, false) and native_gmatch or slow.gmatch)(s, p)
end

function safe_string.gsub(s, p, repl, most)
  s, p = text(s, 1, "gsub"), text(p, 2, "gsub")
  local kind = type(repl)
  most = most and tonumber(most)
  if (kind == "string" or kind == "number") and cheap(#s, p, true) then
    repl = tostring(repl)
    -- The cost of a replacement without captures is its output, which memory bounds. Empty captures write nothing.
    if not find(repl, "%", 1, true) or (#s + 1) * #repl <= CHEAP then
      return gsub(s, p, repl, most)
    end
  end
  -- With a function, the original would run Lua inside C, and each level needs several kilobytes of C stack.
  return slow.gsub(s, p, repl, most)
end

local string_meta = getmetatable("")
string_meta.__index = safe_string
string_meta.__metatable = false

-- Without a Lua function, table.sort compares in C, and a hostile order makes it quadratic.
local safe_table = {}
for _, name in ipairs({ "concat", "foreach", "foreachi", "getn", "maxn", "remove" }) do
  safe_table[name] = table[name]
end
-- For a position before the first, the original moves everything from there up by one, possibly two billion positions.
-- It truncates a position to 32 bits.
local insert = table.insert
function safe_table.insert(list, ...)
  local position = tonumber((...))
  if select("#", ...) > 1 and position and not (position >= 1 and position < 2 ^ 31) then
    error("bad argument #2 to 'insert' (position out of bounds)", 2)
  end
  return insert(list, ...)
end

local sort = table.sort
function safe_table.sort(list, less)
  if less == nil then
    return sort(list, function(a, b)
      return a < b
    end)
  end
  return sort(list, function(a, b)
    return (less(a, b))
  end)
end

local function copy(from)
  local to = {}
  for key, value in pairs(from) do
    to[key] = value
  end
  return to
end

-- The original runs an error handler with hooks disabled, so the handler could run forever.
local function finish(handler, good, ...)
  if good then
    return true, ...
  end
  local _, message = pcall(handler, ...)
  return false, message
end
local function safe_xpcall(f, handler, ...)
  return finish(handler, pcall(f, ...))
end

-- Each nested coroutine needs a Lua stack and a part of the C stack.
local DEEPEST = 8
local depth = 0
local resume, create, running, status, yield =
  coroutine.resume, coroutine.create, coroutine.running, coroutine.status, coroutine.yield
local function leave(...)
  depth = depth - 1
  return ...
end
local function safe_resume(co, ...)
  if depth >= DEEPEST then
    return false, "more than " .. DEEPEST .. " coroutines within each other"
  end
  depth = depth + 1
  return leave(resume(co, ...))
end
local function unwrapped(good, ...)
  if not good then
    error((...), 0)
  end
  return ...
end
local safe_coroutine = { create = create, resume = safe_resume, running = running, status = status, yield = yield }
function safe_coroutine.wrap(f)
  local co = create(f)
  return function(...)
    return unwrapped(safe_resume(co, ...))
  end
end

local native_date = os.date
local safe_os = { time = os.time, clock = os.clock, difftime = os.difftime }
function safe_os.date(shape, time)
  shape = shape or "%c"
  if type(shape) ~= "string" or #shape > 200 or find(gsub(gsub(shape, "^!?%*t$", ""), "%%[aAbBcdDFHIjmMpSTUwWxXyYzZ%%]", ""), "%", 1, true) then
    error("bad argument #1 to 'date' (unknown format)", 2)
  end
  return native_date(shape, time)
end

local env = {
  assert = assert,
  bit = copy(bit),
  coroutine = safe_coroutine,
  error = error,
  getmetatable = getmetatable,
  ipairs = ipairs,
  math = copy(math),
  next = next,
  os = safe_os,
  pairs = pairs,
  pcall = pcall,
  rawequal = rawequal,
  rawget = rawget,
  rawset = rawset,
  select = select,
  setmetatable = setmetatable,
  string = safe_string,
  table = safe_table,
  tonumber = tonumber,
  tostring = tostring,
  type = type,
  unpack = unpack,
  xpcall = safe_xpcall,
  _VERSION = "Lua 5.1",
}
env._G = env

function env.collectgarbage(what)
  return what == "count" and collectgarbage("count") or 0
end

function env.require(name)
  local module = kit.modules[name]
  if module == nil then
    error("module '" .. tostring(name) .. "' is not available to scripts", 2)
  end
  return module
end

kit.env = env
kit.start_of = start_of
kit.find_plain = find_plain

function kit.enter(chunk)
  setfenv(chunk, env)
  return chunk()
end

return kit
