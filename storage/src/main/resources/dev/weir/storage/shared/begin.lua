-- What every script of a shard begins with. KEYS: nodes, stream. ARGV: prefix, expiry in seconds, node.
local nodes, stream = KEYS[1], KEYS[2]
local prefix, expire, node = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local clock = redis.call('TIME')
local now = tonumber(clock[1])
-- load(digest) reads a hash, change(hash, kind, flag, weight, time, signature) changes what was read,
-- encode(hash) returns it as a state ('' for none), put(digest, action, state) writes it.
local load, change, encode, put, finish

local function whole(number)
  return string.format('%.0f', number)
end

-- Adds numbers of 64 bits, which Lua's numbers cannot hold. The sum stays within 64 bits.
local function sum(a, b)
  local x, y = tonumber(a) or 0, tonumber(b) or 0
  if math.abs(x) < 2 ^ 52 and math.abs(y) < 2 ^ 52 then
    return whole(x + y)
  end
  local function parts(text)
    local sign, digits = string.match(text, '^(-?)(%d+)$')
    if not digits then
      return 0, 0
    end
    local factor = sign == '-' and -1 or 1
    return factor * (tonumber(string.sub(digits, 1, -10)) or 0), factor * tonumber(string.sub(digits, -9))
  end
  local high, low = parts(a)
  local more_high, more_low = parts(b)
  high, low = high + more_high, low + more_low
  if high > 0 and low < 0 then
    high, low = high - 1, low + 1e9
  elseif high < 0 and low > 0 then
    high, low = high + 1, low - 1e9
  end
  if math.abs(low) >= 1e9 then
    local carry = low > 0 and 1 or -1
    high, low = high + carry, low - carry * 1e9
  end
  if high > 9223372036 or high == 9223372036 and low > 854775807 then
    return '9223372036854775807'
  elseif high < -9223372036 or high == -9223372036 and low < -854775808 then
    return '-9223372036854775808'
  elseif high == 0 then
    return whole(low)
  end
  return (high < 0 and '-' or '') .. whole(math.abs(high)) .. string.format('%09.0f', math.abs(low))
end

-- Makes the flag with the highest value the first one.
local function promote(flags)
  local best = 1
  for i = 2, #flags do
    if tonumber(flags[i].value) > tonumber(flags[best].value) then
      best = i
    end
  end
  flags[1], flags[best] = flags[best], flags[1]
end
