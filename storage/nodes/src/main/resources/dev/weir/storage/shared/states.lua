-- Reads the state of digests, the place in the stream at which they have it, and the claims without an end of nodes that
-- do not put back what they hold at present, and the other node that does. Changes nothing. ARGV also: digests.
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
local open = {}
local at_work = string.match(known['lock'] or '', '^%x+')
if at_work ~= node and not restorer() then
  at_work = nil
end
for _, one in ipairs(claims()) do
  local holder, name = string.match(one, '^(%x+):(%x+):')
  if holder and holder ~= at_work then
    open[#open + 1] = name
  end
end
return {'done', known['applied'] or '0', known['mark'] or seed, revisions, states, whole(now), open, restorer() or ''}
