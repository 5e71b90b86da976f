-- The layout of Rspamd: one hash for each digest, one string for each shingle (docs/nodes.md#layouts).
local function slots(list)
  local names = {}
  for name in string.gmatch(list or '', '[^,]+') do
    names[#names + 1] = prefix .. '_' .. name
  end
  return names
end

-- Returns the fields of a hash; the key of another type is none of Rspamd's, and goes.
local function fields(key)
  local found = redis.pcall('HGETALL', key)
  if found.err then
    redis.call('DEL', key)
    return {}
  end
  local map = {}
  for i = 1, #found, 2 do
    map[found[i]] = found[i + 1]
  end
  return map
end

local function places(map)
  local used = {}
  for i = 0, 7 do
    local name = i == 0 and '' or tostring(i)
    if map['F' .. name] and map['V' .. name] then
      used[#used + 1] = {name = name, flag = map['F' .. name], value = tonumber(map['V' .. name]) or 0}
    end
  end
  return used
end

local function add(key, name, weight)
  local sum = redis.pcall('HINCRBY', key, 'V' .. name, weight)
  if type(sum) == 'table' then
    local now = tonumber(redis.call('HGET', key, 'V' .. name))
    if now and math.abs(now) > 4e18 then
      redis.call('HSET', key, 'V' .. name, now > 0 and '9223372036854775807' or '-9223372036854775808')
    else
      redis.call('HSET', key, 'V' .. name, weight)
    end
  end
end

-- Makes the flag with the highest value the primary one.
local function promote(key)
  local map = fields(key)
  local used = places(map)
  local best = used[1]
  for i = 2, #used do
    if used[i].value > best.value then
      best = used[i]
    end
  end
  if best and best.name ~= '' then
    local old_flag, old_value = map['F'], map['V']
    redis.call('HSET', key, 'F', best.flag, 'V', map['V' .. best.name])
    if old_flag and old_value then
      redis.call('HSET', key, 'F' .. best.name, old_flag, 'V' .. best.name, old_value)
    else
      redis.call('HDEL', key, 'F' .. best.name, 'V' .. best.name)
    end
  end
end

-- Postpones the end of a key to the expiry of something of that time. Returns the seconds that are left.
local function live(key, time)
  if expire <= 0 then
    redis.call('PERSIST', key)
    return 0
  end
  local left = redis.call('PTTL', key)
  local due = time + expire
  if left < 0 or now + left / 1000 < due then
    redis.call('EXPIREAT', key, due)
    return math.max(1, math.ceil(due - now))
  end
  return math.max(1, math.ceil(left / 1000))
end

local function hold(name, digest, left)
  if left > 0 then
    redis.call('SETEX', name, left, digest)
  else
    redis.call('SET', name, digest)
  end
end

local function drop(key, digest)
  for _, name in ipairs(slots(fields(key)['S'])) do
    if redis.call('GET', name) == digest then
      redis.call('DEL', name)
    end
  end
  redis.call('DEL', key)
end

local function write(key, digest, flag, weight, time, list)
  local map = fields(key)
  local used = places(map)
  local place
  for _, one in ipairs(used) do
    if one.flag == flag then
      place = one.name
    end
  end
  if place then
    add(key, place, weight)
  elseif #used < 8 then
    place = (map['F'] and map['V']) and nil or ''
    local i = 1
    while not place do
      if not (map['F' .. i] and map['V' .. i]) then
        place = tostring(i)
      end
      i = i + 1
    end
    redis.call('HSET', key, 'F' .. place, flag, 'V' .. place, weight)
  else
    local least = used[1]
    for _, one in ipairs(used) do
      if one.value < least.value then
        least = one
      end
    end
    if tonumber(weight) > least.value then
      redis.call('HSET', key, 'F' .. least.name, flag, 'V' .. least.name, weight)
    end
  end
  promote(key)
  redis.call('HSETNX', key, 'C', time)
  local left = live(key, time)
  redis.call('INCR', prefix .. '_count')
  -- A hash that was learned too long ago is gone already.
  if list ~= '' and redis.call('EXISTS', key) == 1 then
    for _, name in ipairs(slots(list)) do
      hold(name, digest, left)
    end
    redis.call('HSET', key, 'S', list)
  end
end

local function remove(key, digest, flag)
  redis.call('DECR', prefix .. '_count')
  if flag == '' then
    return drop(key, digest)
  end
  local used = places(fields(key))
  for _, one in ipairs(used) do
    if one.flag == flag then
      redis.call('HDEL', key, 'F' .. one.name, 'V' .. one.name)
      if #used == 1 then
        drop(key, digest)
      else
        promote(key)
      end
    end
  end
end

local function renew(key, digest, time)
  local list = fields(key)['S']
  if redis.call('EXISTS', key) == 0 then
    return
  end
  local left = live(key, time)
  for _, name in ipairs(slots(list)) do
    local owner = redis.call('GET', name)
    if not owner then
      hold(name, digest, left)
    elseif owner == digest and left > 0 then
      redis.call('EXPIRE', name, left)
    end
  end
end

function change(kind, digest, flag, weight, time, signature)
  local key = prefix .. digest
  if kind == 'w' then
    write(key, digest, flag, weight, tonumber(time), signature)
  elseif kind == 'd' then
    remove(key, digest, flag)
  else
    renew(key, digest, tonumber(time))
  end
end

-- Returns the state of a digest: end of life, time of creation, flags and shingles; empty if there is none.
function state(digest)
  local key = prefix .. digest
  local map = fields(key)
  if not (map['F'] and map['V']) then
    return ''
  end
  local left = redis.call('PTTL', key)
  local flags = {}
  for _, one in ipairs(places(map)) do
    flags[#flags + 1] = one.flag .. ':' .. map['V' .. one.name]
  end
  return (left < 0 and '0' or string.format('%.0f', now + left / 1000)) .. ';' .. (map['C'] or '0') .. ';'
      .. table.concat(flags, ',') .. '|' .. (map['S'] or '')
end

function batched()
  redis.call('INCR', prefix .. 'local')
end
