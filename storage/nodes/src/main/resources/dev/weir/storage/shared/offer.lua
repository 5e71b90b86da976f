-- Merges states that a node holds and Redis may have lost (docs/operate/nodes.md#what-redis-lost-comes-back). Like a
-- batch, they become a single command in the log of Redis. ARGV also: length of the stream; the last change that these states have;
-- what Redis has lost: '0' for at most some keys, '1' for changes, '2' for changes if the times of these states may be too
-- late; then digests and states. Instead of a state, 'x' with flags and times has what the node deleted. Returns the digests
-- that changed later, which were not considered, and those of which nothing is there, because a node deleted it later.
local refused = refusal()
if refused then
  return refused
end
local known = redis.call('HMGET', nodes, 'n:' .. node, 'applied', 'mark')
local applied = known[2] or '0'
if redis.call('XRANGE', stream, '(' .. applied .. '-1', '+', 'COUNT', 1)[1] then
  return {'unapplied'}
end
local other = restorer()
if other then
  return {'busy', other}
end
local lost, certain, estimated = ARGV[10] ~= '0', ARGV[10] == '1', ARGV[10] == '2'
-- So many seconds an estimate of a time is known as one. The nodes have had their turns by then.
local ESTIMATE = 120
-- A state that lacks the last change of its digest must not replace what a key had that is gone meanwhile.
local LATE = 200
local later = redis.call('XRANGE', stream, '(' .. ARGV[9] .. '-1', '+', 'COUNT', LATE)
local changed, moved, buried = {}, {}, {}
for _, entry in ipairs(later) do
  for i = 1, #entry[2], 2 do
    changed[entry[2][i]] = true
  end
end

local function merge(hash, offered, gone, guessed)
  local changed = false
  local fresh = #hash.flags == 0
  local before = {}
  local newest = -1
  for _, one in ipairs(hash.flags) do
    before[one.flag] = one
    newest = math.max(newest, stamp(hash, one))
  end
  for _, one in ipairs(offered.flags) do
    local time = stamp(offered, one)
    local there = before[one.flag]
    if time <= deleted(gone, one.flag) then
      -- A node deleted it after that.
      time = -1
    elseif not there then
      if fresh or most == 0 or (#hash.flags < most and time > newest + slack) then
        hash.flags[#hash.flags + 1] = one
        changed = true
      end
    else
      local has = stamp(hash, there)
      local more = math.abs(tonumber(one.value)) > math.abs(tonumber(there.value))
      local later = certain and time > has + slack
      if lost and one.value ~= there.value and (later or more and (time >= has - slack or certain and guessed)) then
        there.value = one.value
        there.time = one.time
        changed = true
      end
    end
  end
  if changed then
    join(hash, offered, fresh)
    promote(hash.flags)
  end
  return changed
end

-- Deletes again what a node deleted, if Redis has no trace of that. Returns the times of the deletes as a text, and
-- whether the hash loses a flag; nil if Redis knows of the deletes. What was learned after a delete stays.
local function erase(hash, text, gone)
  local news = false
  for flag, time in string.gmatch(text, '([%-%d%*]+):(%d+)') do
    time = tonumber(time)
    if not skewed and time <= now + slack and time > (gone[flag] or -1) then
      gone[flag] = time
      news = true
    end
  end
  if not news then
    return
  end
  local left = {}
  for _, one in ipairs(hash.flags) do
    -- Without an end, the layout of Rspamd does not tell when one of several flags was learned.
    local unsure = most > 0 and expire == 0 and #hash.flags > 1
    if unsure or stamp(hash, one) > deleted(gone, one.flag) then
      left[#left + 1] = one
    end
  end
  local changed = #left < #hash.flags
  if changed then
    if #left > 0 then
      promote(left)
    end
    hash.flags = left
  end
  local times = {}
  for flag, time in pairs(gone) do
    times[#times + 1] = flag .. ':' .. whole(time)
  end
  table.sort(times)
  return table.concat(times, ','), changed
end

local number = tonumber(applied)
local parts = {}
local count = 0
-- The other nodes have to know which of their updates these states have, because no entry of theirs will bring them.
if lost and string.match(redis.call('HGET', nodes, 'lock') or '', '^%x+') == node then
  for name, revision in string.gmatch(redis.call('HGET', nodes, 'has') or '', '(%x+):(%d+)') do
    parts[#parts + 1] = 'h' .. name
    parts[#parts + 1] = revision
  end
end
for i = 11, #ARGV, 2 do
  local digest = ARGV[i]
  local hash = load(digest)
  local guess = prefix .. '_weir_time' .. digest
  if #later == LATE or changed[digest] then
    moved[#moved + 1] = digest
  elseif string.sub(ARGV[i + 1], 1, 1) == 'x' then
    local times, loses = erase(hash, ARGV[i + 1], deletes(digest))
    if loses then
      count = count + 1
      parts[#parts + 1] = digest
      parts[#parts + 1] = '-' .. encode(hash)
      parts[#parts + 1] = 'x' .. digest
      parts[#parts + 1] = times
    elseif times then
      -- It sets something to a value, so it does not matter if a crash of Redis leaves out the rest.
      redis.call('SET', prefix .. '_weir_gone' .. digest, times, 'EX', REMEMBERED)
    end
  elseif merge(hash, parse(ARGV[i + 1]), deletes(digest), redis.call('EXISTS', guess) == 1) then
    count = count + 1
    parts[#parts + 1] = digest
    parts[#parts + 1] = 'r' .. encode(hash)
    -- It does not matter if a crash of Redis leaves it out.
    if estimated then
      redis.call('SET', guess, '1', 'EX', ESTIMATE)
    else
      redis.call('DEL', guess)
    end
  elseif #hash.flags == 0 then
    buried[#buried + 1] = digest
  end
end
if count > 0 then
  number = number + count
  local before = known[3] or seed
  local revision = known[1] or '-1'
  local id = whole(number)
  local mark = string.sub(redis.sha1hex(before .. ' ' .. node .. ' ' .. revision .. ' ' .. id), 1, 16)
  redis.call('XADD', stream, 'MINID', '~', whole(math.max(0, number - tonumber(ARGV[8]))), id .. '-1', 'n', node, 'r',
    revision, 'p', before, 'm', mark, 'o', '1', unpack(parts))
end
return {'done', moved, buried}
