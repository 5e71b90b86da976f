-- Reads the state of digests, and the place in the stream at which they have it. Changes nothing. ARGV also: digests.
local known = redis.call('HMGET', nodes, 'applied', 'mark', 'epoch', 'n:' .. node)
local states = {}
for i = 4, #ARGV do
  states[#states + 1] = encode(load(ARGV[i]))
end
return {known[1] or '0', known[2] or '', known[3] or '', known[4] or '', states}
