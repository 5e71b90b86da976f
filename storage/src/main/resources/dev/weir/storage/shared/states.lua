-- Reads the state of digests, and the place in the stream at which they have it. Changes nothing. ARGV also: digests.
local refused = refusal()
if refused then
  return refused
end
local fields = redis.call('HGETALL', nodes)
local known, revisions = {}, {}
for i = 1, #fields, 2 do
  known[fields[i]] = fields[i + 1]
  if string.sub(fields[i], 1, 2) == 'n:' then
    revisions[#revisions + 1] = string.sub(fields[i], 3)
    revisions[#revisions + 1] = fields[i + 1]
  end
end
local states = {}
for i = 8, #ARGV do
  states[#states + 1] = encode(load(ARGV[i]))
end
return {'done', known['applied'] or '0', known['mark'] or seed, revisions, states, whole(now)}
