-- Appends what a batch of one node makes of its digests to the stream, once. Everything else is only read, so the batch
-- becomes a single command in the log of Redis (docs/nodes.md#how-a-batch-is-applied-once).
-- ARGV also: the last revision of the node that Redis must have, the length of the stream, the epoch, and for each
-- update kind, revision, digest, flag, weight, time, signature.
local expected, history = tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HMGET', nodes, 'epoch', 'n:' .. node, 'applied', 'mark')
if known[1] ~= ARGV[6] then
  return {'epoch'}
end
local applied = known[3] or '0'
if redis.call('XRANGE', stream, '(' .. applied .. '-1', '+', 'COUNT', 1)[1] then
  return {'unapplied'}
end
local done = tonumber(known[2] or '-1')
if done < expected then
  return {'behind', whole(done)}
end
local order, hashes = {}, {}
for i = 7, #ARGV, 7 do
  local revision, digest = tonumber(ARGV[i + 1]), ARGV[i + 2]
  if revision > done then
    local hash = hashes[digest]
    if not hash then
      hash = load(digest)
      hashes[digest] = hash
      order[#order + 1] = digest
    end
    change(hash, ARGV[i], ARGV[i + 3], ARGV[i + 4], tonumber(ARGV[i + 5]), ARGV[i + 6])
    done = revision
  end
end
if #order > 0 then
  local number = tonumber(applied) + #order
  local id = whole(number)
  local before = known[4] or ''
  local mark = string.sub(redis.sha1hex(before .. ' ' .. node .. ' ' .. whole(done) .. ' ' .. id), 1, 16)
  local entry = {'XADD', stream, 'MINID', '~', whole(math.max(0, number - history)), id .. '-1', 'n', node, 'r',
    whole(done), 'p', before, 'm', mark}
  for _, digest in ipairs(order) do
    local hash = hashes[digest]
    entry[#entry + 1] = digest
    entry[#entry + 1] = (hash.action or '-') .. encode(hash)
  end
  redis.call(unpack(entry))
end
return {'done', whole(done)}
