-- The modules that Rspamd scripts require: rspamd_logger, rspamd_util, rspamd_regexp, rspamd_ip, rspamd_text.
-- Called with the kit of sandbox.lua.
local kit = ...
local host, class, modules, env = kit.host, kit.class, kit.modules, kit.env
local error, ipairs, pairs, select, tonumber, tostring, type, math = error, ipairs, pairs, select, tonumber, tostring, type, math
local byte, char, concat, find, format, gsub, lower, rep, sub = string.byte, string.char, table.concat, string.find, string.format, string.gsub, string.lower, string.rep, string.sub

-- rspamd_text: a string of bytes with methods.
local text_methods = {}
local new_text, text_state, is_text
local function plain(value)
  if is_text(value) then
    return text_state(value)[1]
  elseif type(value) == "string" then
    return value
  elseif type(value) == "number" then
    return tostring(value)
  end
  error("string or rspamd_text expected, got " .. type(value), 3)
end
new_text, text_state, is_text = class("rspamd_text", text_methods, {
  __tostring = function(self)
    return text_state(self)[1]
  end,
  __len = function(self)
    return #text_state(self)[1]
  end,
  __eq = function(a, b)
    return text_state(a)[1] == text_state(b)[1]
  end,
  __lt = function(a, b)
    return plain(a) < plain(b)
  end,
  __concat = function(a, b)
    return kit.text(plain(a) .. plain(b))
  end,
})
kit.plain, kit.is_text = plain, is_text
function kit.text(value)
  return new_text({ value })
end
function text_methods:len()
  return #text_state(self)[1]
end
function text_methods:str()
  return text_state(self)[1]
end
function text_methods:sub(from, to)
  return kit.text(sub(text_state(self)[1], from, to or -1))
end
function text_methods:byte(from, to)
  return byte(text_state(self)[1], from or 1, to or from or 1)
end
function text_methods:at(position)
  return byte(text_state(self)[1], position)
end
function text_methods:span(from, length)
  return kit.text(sub(text_state(self)[1], from, length and from + length - 1 or -1))
end
function text_methods:hex()
  return kit.text(host("core.hex", text_state(self)[1]))
end
function text_methods:base64()
  return kit.text(host("core.base64", text_state(self)[1]))
end
function text_methods:base32()
  return kit.text(host("core.base32", text_state(self)[1]))
end
function text_methods:lower()
  return kit.text(lower(text_state(self)[1]))
end
function text_methods:find(pattern, init)
  return env.string.find(text_state(self)[1], pattern, init)
end
function text_methods:bytes()
  local s, all = text_state(self)[1], {}
  for i = 1, #s do
    all[i] = byte(s, i)
  end
  return all
end
modules.rspamd_text = { fromstring = function(s) return kit.text(plain(s)) end, null = function() return kit.text("") end }
modules.rspamd_text.from_string = modules.rspamd_text.fromstring
function modules.rspamd_text.fromtable(list, separator)
  local parts = {}
  for i, part in ipairs(list) do
    parts[i] = plain(part)
  end
  return kit.text(concat(parts, separator or ""))
end
modules.rspamd_text.from_table = modules.rspamd_text.fromtable

-- rspamd_ip: 4 or 16 bytes, or 0 for an invalid address.
local ip_methods = {}
local new_ip, ip_state, is_ip
local function octets(state, all)
  local list = {}
  for i = 1, #state.bytes do
    local b = byte(state.bytes, i)
    if #state.bytes == 4 then
      list[i] = all and b or tostring(b)
    elseif all then
      list[i] = b
    else
      list[2 * i - 1] = format("%x", math.floor(b / 16))
      list[2 * i] = format("%x", b % 16)
    end
  end
  return list
end
local function ip_string(state)
  local bytes = state.bytes
  if #bytes == 4 then
    return format("%d.%d.%d.%d", byte(bytes, 1, 4))
  elseif #bytes ~= 16 then
    return "<unknown>"
  end
  -- RFC 5952: the first of the longest runs of zero groups becomes "::" if it has more than one group.
  local groups, best, best_length, run = {}, 0, 1, 0
  for i = 1, 8 do
    groups[i] = byte(bytes, 2 * i - 1) * 256 + byte(bytes, 2 * i)
    run = groups[i] == 0 and run + 1 or 0
    if run > best_length then
      best, best_length = i - run + 1, run
    end
  end
  local parts, i = {}, 1
  while i <= 8 do
    if i == best then
      parts[#parts + 1] = (i == 1 and ":" or "") .. ":"
      i = i + best_length
    else
      parts[#parts + 1] = format("%x", groups[i]) .. (i < 8 and ":" or "")
      i = i + 1
    end
  end
  return concat(parts)
end
new_ip, ip_state, is_ip = class("rspamd_ip", ip_methods, {
  __tostring = function(self)
    return ip_string(ip_state(self))
  end,
  __eq = function(a, b)
    return ip_state(a).bytes == ip_state(b).bytes
  end,
  __lt = function(a, b)
    a, b = ip_state(a).bytes, ip_state(b).bytes
    if #a ~= #b then
      return #a < #b
    end
    return a < b
  end,
})
kit.is_ip = is_ip
function kit.ip(bytes, port)
  return new_ip({ bytes = bytes or "", port = port or 0 })
end
local function ip_from(value)
  if is_ip(value) then
    return value
  end
  local bytes = host("core.ip", plain(value))
  return bytes and kit.ip(bytes) or nil
end
kit.ip_from = ip_from
function ip_methods:to_string(pretty)
  local state = ip_state(self)
  if not pretty then
    return ip_string(state)
  end
  return format(#state.bytes == 16 and "[%s]:%d" or "%s:%d", ip_string(state), state.port)
end
ip_methods.tostring = ip_methods.to_string
function ip_methods:is_valid()
  return #ip_state(self).bytes > 0
end
function ip_methods:get_version()
  local length = #ip_state(self).bytes
  return length == 4 and 4 or length == 16 and 6 or 0
end
function ip_methods:get_port()
  return ip_state(self).port
end
function ip_methods:str_octets()
  return octets(ip_state(self), false)
end
function ip_methods:inversed_str_octets()
  local list, inversed = octets(ip_state(self), false), {}
  for i = 1, #list do
    inversed[i] = list[#list - i + 1]
  end
  return inversed
end
function ip_methods:to_table()
  return octets(ip_state(self), true)
end
ip_methods.totable = ip_methods.to_table
function ip_methods:to_number()
  local bytes = ip_state(self).bytes
  local function word(i)
    local a, b, c, d = byte(bytes, i, i + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
  end
  if #bytes == 4 then
    return word(1)
  elseif #bytes == 16 then
    return word(1), word(5), word(9), word(13)
  end
  return nil
end
ip_methods.tonumber = ip_methods.to_number
function ip_methods:copy()
  local state = ip_state(self)
  return kit.ip(state.bytes, state.port)
end
function ip_methods:apply_mask(mask)
  local state, out = ip_state(self), {}
  mask = tonumber(mask) or 0
  for i = 1, #state.bytes do
    local kept = math.max(0, math.min(8, mask - 8 * (i - 1)))
    local unit = 2 ^ (8 - kept)
    out[i] = char(math.floor(byte(state.bytes, i) / unit) * unit)
  end
  return kit.ip(concat(out), state.port)
end
function ip_methods:is_local()
  local bytes = ip_state(self).bytes
  if #bytes == 4 then
    return byte(bytes, 1) == 127
  elseif #bytes ~= 16 then
    return false
  end
  local first, second = byte(bytes, 1, 2)
  return bytes == rep("\0", 15) .. "\1" or first == 0xfe and second >= 0x80
end
modules.rspamd_ip = { from_string = ip_from, fromstring = ip_from, from_ip = function(ip) return ip:copy() end }
modules.rspamd_ip.fromip = modules.rspamd_ip.from_ip

-- rspamd_logger
local function shown(value, depth)
  local kind = type(value)
  if kind == "table" then
    if depth > 5 then
      return "{...}"
    end
    local parts = {}
    for key, item in pairs(value) do
      if #parts >= 100 then
        parts[#parts + 1] = "..."
        break
      end
      parts[#parts + 1] = "[" .. tostring(key) .. "] = " .. shown(item, depth + 1)
    end
    return "{" .. concat(parts, ", ") .. "}"
  elseif kind == "number" and value == math.floor(value) and math.abs(value) < 1e15 then
    return format("%d", value)
  end
  return tostring(value)
end
local LONGEST = 8000
local function formatted(shape, ...)
  local arguments, count, following = { ... }, select("#", ...), 0
  return (gsub(sub(plain(shape), 1, LONGEST), "%%([%w])", function(what)
    local place
    if what == "s" then
      following = following + 1
      place = following
    else
      place = tonumber(what)
    end
    if not place then
      return nil
    elseif place < 1 or place > count then
      return "no value"
    end
    return sub(shown(arguments[place], 1), 1, LONGEST)
  end))
end
local function log(level, first, ...)
  -- Most calls pass an object first. It identifies the task in Rspamd's log.
  if type(first) == "string" or is_text(first) then
    host("core.log", level, formatted(first, ...))
  elseif select("#", ...) > 0 then
    host("core.log", level, formatted(...))
  end
end
local logger = { slog = formatted }
for name, level in pairs({ debug = "debug", info = "info", message = "message", msg = "message", warn = "warn", err = "err" }) do
  logger[name .. "x"] = function(...)
    log(level, ...)
  end
  logger[name] = function(message)
    host("core.log", level, plain(message))
  end
end
logger.debugm = function(_, ...)
  log("debug", ...)
end
modules.rspamd_logger = logger
function env.print(...)
  local parts = {}
  for i = 1, select("#", ...) do
    parts[i] = tostring((select(i, ...)))
  end
  host("core.log", "info", concat(parts, "\t"))
end

-- rspamd_regexp
local regexp_methods = {}
local new_regexp, regexp_state = class("rspamd_regexp", regexp_methods, {
  __tostring = function(self)
    return regexp_methods.get_pattern(self)
  end,
})
local MOST_MATCHES = 1000
-- Calls visit for each match in order until visit returns true to stop.
local function each(self, subject, visit)
  local state, from, count = regexp_state(self), 0, 0
  while count < MOST_MATCHES do
    local found = host("core.match", state.pattern, state.flags, subject, from)
    if not found then
      return count
    end
    count = count + 1
    if visit(found) then
      return count
    end
    from = found[2] > found[1] and found[2] or found[2] + 1
  end
  return count
end
function regexp_methods:match(subject)
  local state = regexp_state(self)
  return host("core.match", state.pattern, state.flags, plain(subject), 0) ~= nil
end
function regexp_methods:matchn(subject, most)
  local count = 0
  return each(self, plain(subject), function()
    count = count + 1
    return most and most > 0 and count >= most
  end)
end
function regexp_methods:search(subject, _, captures)
  local all = {}
  each(self, plain(subject), function(found)
    if captures then
      local groups = {}
      for i = 3, #found do
        groups[i - 2] = found[i] or ""
      end
      while #groups > 1 and groups[#groups] == "" do
        groups[#groups] = nil
      end
      all[#all + 1] = groups
    else
      all[#all + 1] = found[3]
    end
  end)
  return #all > 0 and all or nil
end
function regexp_methods:split(subject)
  local s, all, from = plain(subject), {}, 0
  local state = regexp_state(self)
  each(self, s, function(found)
    if found[2] > found[1] then
      all[#all + 1] = host("core.slice", state.pattern, state.flags, s, from, found[1])
      from = found[2]
    end
  end)
  all[#all + 1] = host("core.slice", state.pattern, state.flags, s, from, -1)
  return all
end
function regexp_methods:get_pattern()
  local pattern = regexp_state(self).pattern
  local _, _, inner = find(pattern, "^/(.*)/%a*$")
  return inner or pattern
end
function regexp_methods:destroy() end
local cached = {}
local function create(pattern, flags)
  pattern, flags = plain(pattern), flags or ""
  local reason = host("core.regexp", pattern, flags)
  if reason then
    host("core.log", "err", "cannot parse regexp '" .. pattern .. "': " .. reason)
    return nil
  end
  return new_regexp({ pattern = pattern, flags = flags })
end
local function create_cached(pattern, flags)
  local key = plain(pattern) .. "\0" .. (flags or "")
  cached[key] = cached[key] or create(pattern, flags)
  return cached[key]
end
modules.rspamd_regexp = {
  create = create,
  create_cached = create_cached,
  get_cached = function(pattern, flags)
    return cached[plain(pattern) .. "\0" .. (flags or "")]
  end,
  import_plain = function(s)
    return (gsub(plain(s), "[%^%$%(%)%%%.%[%]%*%+%-%?%|{}\\/#]", "\\%0"))
  end,
}

-- rspamd_util
local util = {}
for name, asked in pairs({ get_time = "core.time", get_ticks = "core.ticks", get_hostname = "core.hostname" }) do
  util[name] = function()
    return host(asked)
  end
end
for name, asked in pairs({
  encode_base64 = "core.base64",
  decode_base64 = "core.unbase64",
  encode_base32 = "core.base32",
  decode_base32 = "core.unbase32",
  lower_utf8 = "core.lower",
}) do
  util[name] = function(value)
    local result = host(asked, plain(value))
    return result and kit.text(result)
  end
end
util.lower_utf8 = function(value)
  return host("core.lower", plain(value))
end
util.strlen_utf8 = function(value)
  return host("core.length", plain(value))
end
util.is_valid_utf8 = function(value)
  return host("core.valid", plain(value))
end
util.strequal_caseless = function(a, b)
  return lower(plain(a)) == lower(plain(b))
end
util.strequal_caseless_utf8 = function(a, b)
  return host("core.lower", plain(a)) == host("core.lower", plain(b))
end
util.tanh = math.tanh
util.random_hex = function(length)
  local out = {}
  for i = 1, math.min(tonumber(length) or 0, 1024) do
    out[i] = format("%x", math.floor(host("core.random") * 16))
  end
  return concat(out)
end
modules.rspamd_util = util
