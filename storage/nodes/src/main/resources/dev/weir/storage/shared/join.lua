-- Has a node join, or come back. ARGV also: a new epoch, the run of this server ('' if unknown), the other nodes that this
-- one knows, then the runs of the node: this one, and those before it.
-- An epoch has the number of the format and a name. An empty Redis gets the name that follows from the one that the node
-- knows, so all nodes of the Redis that was lost find the same one, and know that it is theirs.
local function next_name(name)
  return string.sub(redis.sha1hex('weir epoch ' .. name), 1, 16)
end
local function follows(first, second)
  for _ = 1, 1000 do
    first = next_name(first)
    if first == second then
      return true
    end
  end
  return false
end
local stored = redis.call('HGET', nodes, 'epoch')
local answer = 'same'
if not stored then
  -- Whatever is left of an earlier stream has other numbers.
  redis.call('DEL', stream)
  redis.call('DEL', nodes)
  stored = '2-' .. (epoch == '' and ARGV[8] or next_name(epoch))
  redis.call('HSET', nodes, 'epoch', stored)
elseif string.match(stored, '^%x+$') and #stored == 16 then
  -- The format before had no number. Its nodes do not know the new name, so they stop.
  stored = '2-' .. stored
  redis.call('HSET', nodes, 'epoch', stored)
elseif string.sub(stored, 1, 2) ~= '2-' then
  return {'format', stored}
end
local name = string.sub(stored, 3)
if epoch ~= '' and name ~= epoch then
  if follows(epoch, name) or follows(name, epoch) then
    answer = 'kin'
  else
    return {'stranger', stored}
  end
end
local holder = redis.call('HGET', nodes, 'run:' .. node)
local own = not holder
for i = 11, #ARGV do
  own = own or string.sub(holder, 1, 16) == ARGV[i]
end
if not own then
  return {'run', holder}
end
if not holder or string.sub(holder, 1, 16) ~= ARGV[11] then
  redis.call('HSET', nodes, 'run:' .. node, ARGV[11] .. ' ' .. run .. ' ' .. whole(now))
end
-- A server that started again or took over may lack changes that only some nodes have seen. What the others send now could
-- not be told apart from what these put back later. So all nodes that told of themselves when it had its last change look
-- first, and have some seconds to come.
local server = redis.call('HGET', nodes, 'server')
if ARGV[9] ~= '' and server ~= ARGV[9] then
  redis.call('HSET', nodes, 'server', ARGV[9])
  if server then
    local told, newest = {}, 0
    local fields = redis.call('HGETALL', nodes)
    for i = 1, #fields, 2 do
      local other = string.match(fields[i], '^i:(%x+)$')
      if other then
        told[other] = tonumber(string.match(fields[i + 1], '^1 (%d+) ') or '0')
        newest = math.max(newest, told[other])
      end
    end
    local present = {[node] = true}
    for other, time in pairs(told) do
      if newest - time <= 60 then
        present[other] = true
      end
    end
    for other in string.gmatch(ARGV[10], '%x+') do
      present[other] = true
    end
    local wait = {}
    for other in pairs(present) do
      wait[#wait + 1] = other .. ':' .. whole(now + TO_COME)
    end
    redis.call('HSET', nodes, 'turned', '', 'wait', table.concat(wait, ' '))
  end
end
return {answer, name, whole(now), redis.call('HGET', nodes, 'n:' .. node) or ''}
