-- The layout of Weir: one string for each digest (docs/nodes.md#layouts), in the shard of its hash tag.
-- It has the renewal, the flags with value and time, and the shingles with the mask of the known ones.
local limit = 2 ^ 52

-- Adds numbers of 64 bits, which Lua's numbers cannot hold. The sum stays at the ends of 64 bits.
local function sum(a, b)
  local x, y = tonumber(a), tonumber(b)
  if math.abs(x) < limit and math.abs(y) < limit then
    return string.format('%.0f', x + y)
  end
  local helper = prefix .. '_weir_sum'
  redis.call('SET', helper, a)
  local added = redis.pcall('INCRBY', helper, b)
  local result = redis.call('GET', helper)
  redis.call('DEL', helper)
  if type(added) == 'table' then
    return x > 0 and '9223372036854775807' or '-9223372036854775808'
  end
  return result
end

local function load(digest)
  local text = redis.pcall('GET', prefix .. digest)
  if not text or type(text) == 'table' then
    return {renewed = 0, flags = {}, signature = ''}
  end
  local bar = string.find(text, '|', 1, true) or #text + 1
  local semicolon = string.find(text, ';', 1, true) or 0
  local hash = {renewed = tonumber(string.sub(text, 1, semicolon - 1)) or 0, flags = {},
    signature = string.sub(text, bar + 1)}
  for flag, value, time in string.gmatch(string.sub(text, semicolon + 1, bar - 1), '(%-?%d+):(%-?%d+):(%d+)') do
    hash.flags[#hash.flags + 1] = {flag = flag, value = value, time = tonumber(time)}
  end
  return hash
end

local function store(digest, hash)
  local key = prefix .. digest
  if #hash.flags == 0 then
    redis.call('DEL', key)
    return
  end
  local flags, last = {}, 0
  for i, one in ipairs(hash.flags) do
    flags[i] = one.flag .. ':' .. one.value .. ':' .. string.format('%.0f', one.time)
    last = math.max(last, one.time)
  end
  redis.call('SET', key, string.format('%.0f', hash.renewed) .. ';' .. table.concat(flags, ',') .. '|'
      .. hash.signature)
  if expire > 0 then
    redis.call('EXPIREAT', key, math.max(last, hash.renewed) + expire + 1)
  end
end

-- Leaves out what has expired at a time.
local function bury(hash, time)
  if expire <= 0 or hash.renewed >= time - expire then
    return
  end
  local left = {}
  for _, one in ipairs(hash.flags) do
    if one.time >= time - expire then
      left[#left + 1] = one
    end
  end
  if #left > 0 and left[1] ~= hash.flags[1] then
    local best = 1
    for i = 2, #left do
      if tonumber(left[i].value) > tonumber(left[best].value) then
        best = i
      end
    end
    left[1], left[best] = left[best], left[1]
  end
  hash.flags = left
  if #left == 0 then
    hash.renewed, hash.signature = 0, ''
  end
end

local function promote(flags)
  local best = 1
  for i = 2, #flags do
    if tonumber(flags[i].value) > tonumber(flags[best].value) then
      best = i
    end
  end
  flags[1], flags[best] = flags[best], flags[1]
end

function change(kind, digest, flag, weight, time, signature)
  local hash = load(digest)
  if kind == 'w' then
    local second = tonumber(time)
    bury(hash, second)
    local known
    for _, one in ipairs(hash.flags) do
      if one.flag == flag then
        known = one
      end
    end
    if known then
      known.value = sum(known.value, weight)
      known.time = math.max(known.time, second)
    else
      hash.flags[#hash.flags + 1] = {flag = flag, value = weight, time = second}
    end
    promote(hash.flags)
    if signature ~= '' and string.sub(hash.signature, 1, 4) ~= '\255\255\255\255' then
      hash.signature = signature
    end
  elseif kind == 'd' then
    local left = {}
    for _, one in ipairs(hash.flags) do
      if flag ~= '' and one.flag ~= flag then
        left[#left + 1] = one
      end
    end
    if #left > 1 and left[1] ~= hash.flags[1] then
      promote(left)
    end
    hash.flags = left
  else
    local second = tonumber(time)
    bury(hash, second)
    hash.renewed = math.max(hash.renewed, second)
  end
  store(digest, hash)
end

-- Returns the state of a digest as it is stored; empty if there is none.
function state(digest)
  local text = redis.pcall('GET', prefix .. digest)
  return type(text) == 'string' and text or ''
end

function batched()
end
