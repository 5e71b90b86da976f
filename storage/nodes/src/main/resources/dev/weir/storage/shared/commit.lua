-- Appends what a batch of one node makes of its digests to the stream, once. Everything else is only read, so the batch
-- becomes a single command in the log of Redis (docs/operate/nodes.md#how-a-batch-is-applied-once).
-- ARGV also: the last revision of the node that Redis must have, the length of the stream, the last change that the node
-- has seen, the claims that this node has answered, and for each update kind, revision, digest, flag, weight, time, signature.
local expected, history, seen = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local refused = refusal()
if refused then
  return refused
end
local known = redis.call('HMGET', nodes, 'n:' .. node, 'applied', 'mark')
local applied = known[2] or '0'
if redis.call('XRANGE', stream, '(' .. applied .. '-1', '+', 'COUNT', 1)[1] then
  return {'unapplied'}
end
-- Not even this node: what it puts back is without the updates that it has not sent.
local other = restorer(true) or outstanding()
if other then
  return {'busy', other}
end
for _, one in ipairs(claims()) do
  local name = string.match(one, '^%x+:(%x+):')
  if name and not string.find(ARGV[11], name, 1, true) then
    -- Redis has only a part of what its counters say.
    return {'unfinished', one}
  end
end
local done = tonumber(known[1] or '-1')
if done < expected or tonumber(applied) < seen then
  return {'behind', whole(done)}
end
-- The digests that changed after what this node has seen. Of a node that is far behind, these are not all.
local unseen
local function is_unseen(digest)
  if not unseen then
    unseen = {}
    local later = tonumber(applied) > seen and redis.call('XRANGE', stream, '(' .. whole(seen) .. '-1', '+', 'COUNT', 20)
    for _, entry in ipairs(later or {}) do
      for i = 1, #entry[2], 2 do
        unseen[entry[2][i]] = true
      end
    end
  end
  return unseen[digest]
end
local order, hashes, gone, lacking = {}, {}, {}, {}
local kept = 0
for i = 12, #ARGV, 7 do
  -- The node knows the hash of any kind but 'w'; with '!', Redis need not have it.
  local kind, forced = string.sub(ARGV[i], 1, 1), string.sub(ARGV[i], 2) == '!'
  local revision, digest, flag, time = tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3], tonumber(ARGV[i + 5])
  if revision > done and not (skewed and kind == 'r') then
    local hash = hashes[digest]
    if not hash then
      hash = load(digest)
      hashes[digest] = hash
      order[#order + 1] = digest
      hash.absent = #hash.flags == 0
      -- A hash that this node does not know yet may be there in what it has not seen, and its key may be gone.
      local expected_here = kind ~= 'w' or is_unseen(digest)
      if hash.absent and not forced and expected_here and (kind ~= 'd' or flag ~= '') then
        lacking[#lacking + 1] = digest
      end
    end
    if kind == 'd' or kind == 'u' then
      -- The undo of a learn removes a flag only if nothing is left of it.
      local removed, left = change(hash, kind, flag, '', 0, '')
      if left then
        kept = kept + 1
      else
        gone[digest] = gone[digest] or deletes(digest)
        local name = flag == '' and '*' or flag
        gone[digest][name] = math.max(gone[digest][name] or 0, removed or 0, now + slack)
        hash.deleted = true
      end
    elseif kind == 'r' then
      change(hash, kind, flag, '', time + shift, '')
    else
      time = time + shift
      -- It was acknowledged, so it is not too old. Whichever clock is wrong, it lives for the whole time.
      if expire > 0 and time + expire <= now then
        time = now
      end
      -- A learn after a delete is younger than the delete.
      gone[digest] = gone[digest] or deletes(digest)
      local last = deleted(gone[digest], flag)
      if time <= last then
        time = last + 1 + slack
      end
      change(hash, 'w', flag, ARGV[i + 4], time, ARGV[i + 6])
    end
  end
  done = math.max(done, revision)
end
if #lacking > 0 then
  return {'lacking', lacking, applied, known[1] or '-1', whole(now)}
end
local parts, count = {}, 0
for _, digest in ipairs(order) do
  local hash = hashes[digest]
  -- What Redis lacks is not a delete.
  if #hash.flags > 0 or hash.deleted then
    count = count + 1
    parts[#parts + 1] = digest
    parts[#parts + 1] = (hash.action or '-') .. encode(hash)
    if hash.deleted then
      local times = {}
      for flag, time in pairs(gone[digest]) do
        times[#times + 1] = flag .. ':' .. whole(time)
      end
      table.sort(times)
      parts[#parts + 1] = 'x' .. digest
      parts[#parts + 1] = table.concat(times, ',')
    end
  end
end
if count > 0 then
  local number = tonumber(applied) + count
  local id = whole(number)
  local before = known[3] or seed
  local mark = string.sub(redis.sha1hex(before .. ' ' .. node .. ' ' .. whole(done) .. ' ' .. id), 1, 16)
  redis.call('XADD', stream, 'MINID', '~', whole(math.max(0, number - history)), id .. '-1', 'n', node, 'r',
    whole(done), 'p', before, 'm', mark, unpack(parts))
elseif done > tonumber(known[1] or '-1') then
  redis.call('HSET', nodes, 'n:' .. node, whole(done))
end
return {'done', whole(done), whole(kept), whole(now)}
