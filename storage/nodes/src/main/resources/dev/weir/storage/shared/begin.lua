-- What every script of a shard begins with. KEYS: nodes, stream. ARGV: prefix, expiry in seconds, node, epoch, run of the
-- node, its clock in seconds, the correction of its times in seconds.
local nodes, stream = KEYS[1], KEYS[2]
local prefix, expire, node, epoch, run = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local sent, shift = tonumber(ARGV[6]), tonumber(ARGV[7])
-- The mark before the first entry of a stream.
local seed = string.sub(epoch, 3)
local clock = redis.call('TIME')
local now = tonumber(clock[1])
-- Beyond this difference of the clocks, in seconds, this node neither renews nor buries.
local skewed = math.abs(now - sent) > 60
-- How long a delete is remembered, in seconds.
local REMEMBERED = 2592000
-- How many seconds a node has to come when all look for what Redis has lost, or put it back.
local TO_COME = 6
-- Times of a state may be off by so many seconds.
local slack = 0
-- load(digest) reads a hash, parse(state) reads a state, change(hash, kind, flag, weight, time, signature) changes what
-- was read, encode(hash) returns it as a state ('' for none), put(digest, action, state) writes it, stamp(hash, flag)
-- returns when a flag last changed, join(hash, offered, fresh) completes a hash whose flags came from another.
local load, parse, change, encode, put, finish, stamp, join
-- The most flags of a hash, 0 for any.
local most = 0

-- Returns why Redis is not the one that the node knows, or this node is not the one that Redis knows; nil if all is well.
-- It is asked in the same step in which a script reads or writes.
local function refusal()
  local known = redis.call('HMGET', nodes, 'epoch', 'run:' .. node)
  if known[1] ~= epoch then
    return {'epoch', known[1] or ''}
  end
  if string.sub(known[2] or '', 1, 16) ~= run then
    return {'run', known[2] or ''}
  end
end

-- Returns another node that puts back what Redis has lost; nil if there is none. With 'any', also this one.
local function restorer(any)
  local text = redis.call('HGET', nodes, 'lock')
  local holder, till = string.match(text or '', '^(%x+) (%d+)$')
  if holder and (any or holder ~= node) and tonumber(till) > now and tonumber(till) <= now + 60 then
    return holder
  end
end

-- Returns a node whose turn to put back what it holds is still to come; nil if there is none. It has some seconds.
local function outstanding()
  for one in string.gmatch(redis.call('HGET', nodes, 'wait') or '', '%S+') do
    local name, till = string.match(one, '^(%x+):(%d+)$')
    if name and tonumber(till) > now and tonumber(till) <= now + 60 then
      return name
    end
  end
end

-- Returns the nodes that began to put back what they hold and have not said that they are done, as 'node:name:time'.
local function claims()
  local found = {}
  for one in string.gmatch(redis.call('HGET', nodes, 'claims') or '', '%S+') do
    found[#found + 1] = one
  end
  return found
end

-- Returns the deletes of a digest that are remembered: the time of each by its flag, '*' for all flags.
local function deletes(digest)
  local text = redis.pcall('GET', prefix .. '_weir_gone' .. digest)
  local found = {}
  for flag, time in string.gmatch(type(text) == 'string' and text or '', '([%-%d%*]+):(%d+)') do
    found[flag] = tonumber(time)
  end
  return found
end

local function deleted(gone, flag)
  return math.max(gone[flag] or -1, gone['*'] or -1)
end

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
