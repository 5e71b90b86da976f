-- The layout of Rspamd: one hash for each digest, one string for each shingle (docs/operate/nodes.md#layouts). The field W
-- has the side hashes of HTML, which Rspamd does not read.
-- Of a hash: what ends its life (0 for nothing), time of creation, flags in their places, shingles, side hashes.
local MOST = 8
local added = 0
most = MOST
slack = 2

local function read(key)
  local found = redis.pcall('HGETALL', key)
  local map = {}
  -- A key of another type is none of Rspamd's.
  for i = 1, found.err and 0 or #found, 2 do
    map[found[i]] = found[i + 1]
  end
  return map
end

local function names(list)
  local found = {}
  for name in string.gmatch(list, '[^,]+') do
    found[#found + 1] = prefix .. '_' .. name
  end
  return found
end

-- Whether this server tells the end of a key itself. Redis 6.2 does not, and an ACL may forbid it.
local tells = true

-- Returns when a key ends, in milliseconds since 1970; nil if it does not end. All readings must be the same, so that all
-- nodes come to the same end.
local function ending(key)
  if tells then
    local found = redis.pcall('PEXPIRETIME', key)
    if type(found) == 'number' then
      return found >= 0 and found or nil
    end
    tells = false
  end
  local left
  for _ = 1, 5 do
    local before = redis.call('TIME')
    left = redis.call('PTTL', key)
    if left < 0 then
      return nil
    end
    local after = redis.call('TIME')
    local first, last = before[1] * 1000 + math.floor(before[2] / 1000), after[1] * 1000 + math.floor(after[2] / 1000)
    if first == last then
      return first + left
    end
  end
  return now * 1000 + math.floor(clock[2] / 1000) + left
end

function load(digest)
  local key = prefix .. digest
  local map = read(key)
  local hash = {ends = 0, created = tonumber(map['C']) or 0, flags = {}, list = map['S'] or '', sides = map['W'] or ''}
  if not (map['F'] and map['V']) then
    return {ends = 0, created = 0, flags = {}, list = '', sides = ''}
  end
  for i = 0, MOST - 1 do
    local name = i == 0 and '' or tostring(i)
    local flag, value = map['F' .. name], map['V' .. name]
    if flag and value then
      hash.flags[#hash.flags + 1] = {flag = flag, value = tonumber(value) and value or '0'}
    end
  end
  local ends = ending(key)
  if ends then
    -- That of Rspamd has milliseconds.
    hash.ends = math.floor((ends + 500) / 1000)
  end
  return hash
end

function encode(hash)
  if #hash.flags == 0 then
    return ''
  end
  local flags = {}
  for i, one in ipairs(hash.flags) do
    flags[i] = one.flag .. ':' .. one.value
  end
  return whole(hash.ends) .. ';' .. whole(hash.created) .. ';' .. table.concat(flags, ',') .. '|' .. hash.list .. '|'
      .. hash.sides
end

function parse(state)
  local ends, created, flags, list, sides = string.match(state, '^([^;]*);([^;]*);([^|]*)|([^|]*)|(.*)$')
  local hash = {ends = tonumber(ends) or 0, created = tonumber(created) or 0, flags = {}, list = list or '',
    sides = sides or ''}
  for flag, value in string.gmatch(flags or '', '(%-?%d+):(%-?%d+)') do
    hash.flags[#hash.flags + 1] = {flag = flag, value = value}
  end
  return hash
end

function stamp(hash)
  return hash.ends > 0 and expire > 0 and math.max(hash.created, hash.ends - expire) or hash.created
end

function join(hash, offered, fresh)
  hash.ends = expire > 0 and math.max(hash.ends, offered.ends) or 0
  hash.created = fresh and offered.created or hash.created
  hash.action = 'r'
  if hash.list == '' and offered.list ~= '' then
    hash.list, hash.sides, hash.action = offered.list, offered.sides, 's'
  end
end


-- Returns the digests of some shingles, false for none. One call, because each call costs as much as what it does.
local function owners(keys)
  return #keys == 0 and {} or redis.call('MGET', unpack(keys))
end

local function release(list, digest)
  local keys = names(list)
  local held = {}
  for i, found in ipairs(owners(keys)) do
    if found == digest then
      held[#held + 1] = keys[i]
    end
  end
  if #held > 0 then
    redis.call('DEL', unpack(held))
  end
end

function put(digest, action, state)
  local key = prefix .. digest
  local before = read(key)
  local existed = before['F'] and before['V']
  if state == '' then
    added = added - (existed and 1 or 0)
    release(before['S'] or '', digest)
    redis.call('DEL', key)
    return
  end
  added = added + (existed and 0 or 1)
  local ends, created, flags, list, sides = string.match(state, '^([^;]*);([^;]*);([^|]*)|([^|]*)|(.*)$')
  -- The clock of Redis alone ends no life: what it counts as past is stored for the whole time.
  if tonumber(ends) > 0 and tonumber(ends) <= now then
    ends = whole(now + expire)
  end
  local fields = {'HSET', key, 'C', created}
  local place = 0
  for flag, value in string.gmatch(flags, '(%-?%d+):(%-?%d+)') do
    local name = place == 0 and '' or tostring(place)
    for _, field in ipairs({'F' .. name, flag, 'V' .. name, value}) do
      fields[#fields + 1] = field
    end
    place = place + 1
  end
  if list ~= '' then
    fields[#fields + 1] = 'S'
    fields[#fields + 1] = list
  end
  if sides ~= '' then
    fields[#fields + 1] = 'W'
    fields[#fields + 1] = sides
  end
  if (before['S'] or '') ~= list then
    release(before['S'] or '', digest)
  end
  redis.call('DEL', key)
  redis.call(unpack(fields))
  if tonumber(ends) > 0 then
    redis.call('EXPIREAT', key, ends)
  end
  local keys = action == '-' and {} or names(list)
  local found = action == 's' and {} or owners(keys)
  for i, name in ipairs(keys) do
    if found[i] and found[i] ~= digest then
      -- Another hash has it.
    elseif tonumber(ends) > 0 then
      redis.call('SET', name, digest, 'EXAT', ends)
    else
      redis.call('SET', name, digest)
    end
  end
end

function finish()
  local count, batches = redis.pcall('GET', prefix .. '_count'), redis.pcall('GET', prefix .. 'local')
  redis.call('SET', prefix .. '_count', sum(type(count) == 'string' and count or '0', whole(added)))
  redis.call('SET', prefix .. 'local', sum(type(batches) == 'string' and batches or '0', '1'))
  added = 0
end

local function live(hash, time)
  if expire > 0 then
    hash.ends = math.max(hash.ends, time + expire)
  else
    hash.ends = 0
  end
end

local function write(hash, flag, weight)
  local least
  for _, one in ipairs(hash.flags) do
    if one.flag == flag then
      one.value = sum(one.value, weight)
      return
    end
    if not least or tonumber(one.value) < tonumber(least.value) then
      least = one
    end
  end
  if #hash.flags < MOST then
    hash.flags[#hash.flags + 1] = {flag = flag, value = weight}
  elseif tonumber(weight) > tonumber(least.value) then
    least.flag, least.value = flag, weight
  end
end

local function is_whole(list)
  local _, commas = string.gsub(list, ',', '')
  return commas == 31
end

-- As in Rspamd, the last list of shingles counts, unless it lacks some that the one before has. Side hashes stay as long
-- as the list does, because a learn without them says nothing about them.
local function sign(hash, signature)
  local list, sides = string.match(signature, '^([^|]*)|?(.*)$')
  if is_whole(hash.list) and not is_whole(list) then
    return
  end
  if hash.sides == '' or list ~= hash.list then
    hash.sides = sides
  end
  hash.list = list
  hash.action = 's'
end

local function clear(hash)
  hash.flags, hash.list, hash.sides, hash.ends, hash.created = {}, '', '', 0, 0
end

function change(hash, kind, flag, weight, time, signature)
  if kind == 'w' then
    if hash.created == 0 then
      hash.created = time
    end
    write(hash, flag, weight)
    promote(hash.flags)
    live(hash, time)
    hash.action = hash.action == 's' and 's' or 'r'
    if signature ~= '' then
      sign(hash, signature)
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
        last = stamp(hash)
      end
    end
    hash.flags = left
    if #left == 0 then
      clear(hash)
    else
      promote(left)
    end
    return last and last + slack, kept
  elseif #hash.flags > 0 then
    live(hash, time)
    hash.action = hash.action == 's' and 's' or 'r'
  end
end
