-- Applies a batch of one node, once, and appends what becomes of each digest to the stream.
-- KEYS: nodes, stream. ARGV: prefix, expire, node, last revision that the engine must have, length of the stream,
-- epoch, and for each update: kind, revision, digest, flag, weight, time, signature.
local node, expected, length, epoch = ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6]
if redis.call('HGET', KEYS[1], 'epoch') ~= epoch then
  return {'epoch'}
end
local done = tonumber(redis.call('HGET', KEYS[1], 'n:' .. node) or '-1')
if done < expected then
  return {'behind', string.format('%.0f', done)}
end
local order, last = {}, {}
for i = 7, #ARGV, 7 do
  local revision, digest = tonumber(ARGV[i + 1]), ARGV[i + 2]
  if revision > done then
    change(ARGV[i], digest, ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 6])
    if not last[digest] then
      order[#order + 1] = digest
    end
    last[digest] = ARGV[i + 1]
    done = revision
  end
end
if #order > 0 then
  local top = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
  local id = top[1] and tonumber(string.match(top[1][1], '^%d+')) or 0
  local text = string.format('%.0f', done)
  for i, digest in ipairs(order) do
    id = id + 1
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', length, string.format('%.0f', id) .. '-1', 'd', digest, 'n', node,
      'r', last[digest], 'e', i == #order and text or '', 'v', state(digest))
  end
  redis.call('HSET', KEYS[1], 'n:' .. node, text)
  batched()
end
return {'done', string.format('%.0f', done)}
