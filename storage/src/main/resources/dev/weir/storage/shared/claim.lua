-- Has one node at a time put back what Redis has lost; meanwhile, no other node sends updates. ARGV also: 'take' or
-- 'free', then nodes and revisions: the states that this node puts back have the updates of these nodes up to there.
local refused = refusal()
if refused then
  return refused
end
local other = restorer()
if other then
  return {'busy', other}
end
if ARGV[8] == 'free' then
  redis.call('HDEL', nodes, 'lock')
  return {'done'}
end
redis.call('HSET', nodes, 'lock', node .. ' ' .. whole(now + 30))
for i = 9, #ARGV, 2 do
  local has = tonumber(redis.call('HGET', nodes, 'n:' .. ARGV[i]) or '-1')
  if has < tonumber(ARGV[i + 1]) then
    redis.call('HSET', nodes, 'n:' .. ARGV[i], ARGV[i + 1])
  end
end
return {'done'}
