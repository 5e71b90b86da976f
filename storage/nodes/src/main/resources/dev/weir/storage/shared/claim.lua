-- Has one node at a time put back what Redis has lost; meanwhile, no other node sends updates.
-- ARGV also: 'take', 'done', 'free' (failed) or 'none' (all compared, without a turn), the name of this claim, the other
-- nodes that are there, then nodes and revisions: the states that this node puts back have the updates of these nodes up
-- to there. A claim without an end remains, because Redis has only a part of these updates then, so all nodes put back
-- what they hold.
local refused = refusal()
if refused then
  return refused
end
local other = restorer()
if other then
  return {'busy', other}
end
local takes = ARGV[8] == 'take' and ARGV[9] ~= ''
local ends = ARGV[8] == 'done' or ARGV[8] == 'none'
local kept = {}
for _, one in ipairs(claims()) do
  local holder, name, time = string.match(one, '^(%x+):(%x+):(%d+)$')
  if holder and not (holder == node and (takes or ends)) and now - tonumber(time) <= REMEMBERED then
    kept[#kept + 1] = one
  end
end
if takes then
  kept[#kept + 1] = node .. ':' .. ARGV[9] .. ':' .. whole(now)
end
local text = table.concat(kept, ' ')
if text ~= (redis.call('HGET', nodes, 'claims') or '') then
  redis.call('HSET', nodes, 'claims', text)
end
-- What one node sends after its turn could not be told apart from what another one puts back later. So all have their
-- turn before any sends.
local turned, turns, waits, wait = {}, {}, {}, {}
-- Turns of before do not count for what was lost after them.
local begins = takes and not outstanding()
for name, time in string.gmatch(redis.call('HGET', nodes, 'turned') or '', '(%x+):(%d+)') do
  if now - tonumber(time) <= 60 and name ~= node and not begins then
    turned[name] = true
    turns[#turns + 1] = name .. ':' .. time
  end
end
-- While a node has its turn, the others wait for theirs. After it, each has some seconds to come.
local most = ARGV[8] == 'take' and now + 30 + TO_COME or now + TO_COME
for name, till in string.gmatch(redis.call('HGET', nodes, 'wait') or '', '(%x+):(%d+)') do
  if tonumber(till) > now and not (name == node and ends) then
    waits[name] = true
    wait[#wait + 1] = name .. ':' .. whole(ARGV[8] == 'take' and most or math.min(tonumber(till), most))
  end
end
if ARGV[8] == 'done' then
  turns[#turns + 1] = node .. ':' .. whole(now)
elseif takes then
  for name in string.gmatch(ARGV[10] or '', '%x+') do
    if not turned[name] and not waits[name] then
      wait[#wait + 1] = name .. ':' .. whole(most)
    end
  end
end
redis.call('HSET', nodes, 'turned', table.concat(turns, ' '), 'wait', table.concat(wait, ' '))
if ARGV[8] ~= 'take' then
  redis.call('HDEL', nodes, 'lock')
  return {'done'}
end
redis.call('HSET', nodes, 'lock', node .. ' ' .. whole(now + 30))
local all = {}
for i = 11, #ARGV, 2 do
  all[#all + 1] = ARGV[i] .. ':' .. ARGV[i + 1]
  local has = tonumber(redis.call('HGET', nodes, 'n:' .. ARGV[i]) or '-1')
  if has < tonumber(ARGV[i + 1]) then
    redis.call('HSET', nodes, 'n:' .. ARGV[i], ARGV[i + 1])
  end
end
if takes then
  redis.call('HSET', nodes, 'has', table.concat(all, ' '))
end
return {'done'}
