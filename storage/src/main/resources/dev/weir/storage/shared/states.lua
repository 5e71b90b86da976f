-- Reads the state of digests, and the place in the stream at which they have it. Changes nothing.
-- KEYS: nodes, stream. ARGV: prefix, expire, node, digests.
local top = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
local states = {}
for i = 4, #ARGV do
  states[#states + 1] = state(ARGV[i])
end
return {top[1] and top[1][1] or '0-0', redis.call('HGET', KEYS[1], 'epoch') or '',
  redis.call('HGET', KEYS[1], 'n:' .. ARGV[3]) or '', states}
