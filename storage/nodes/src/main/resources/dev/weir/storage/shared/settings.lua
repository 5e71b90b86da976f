-- Compares the settings of this node with those of all nodes, and takes note of them, in one step: two new nodes with
-- other settings must not both be the first. KEYS also: the settings. ARGV also: the settings of this node, the part of
-- them that never changes, and after how many seconds a silent node no longer counts. The age of expiry can change while
-- no node has the one before.
local key, mine, place, recent = KEYS[3], ARGV[8], ARGV[9], tonumber(ARGV[10])
local stored = redis.call('GET', key)
if stored and stored ~= mine then
  local start = place .. ',expire='
  if string.sub(stored, 1, #start) ~= start then
    return {'other', stored}
  end
  local fields = redis.call('HGETALL', nodes)
  local told, had = {}, {}
  for i = 1, #fields, 2 do
    local kind, name = string.match(fields[i], '^([ie]):(%x+)$')
    if kind == 'i' then
      told[name] = math.max(told[name] or 0, tonumber(string.match(fields[i + 1], '^1 (%d+) ') or '0'))
    elseif kind == 'e' then
      local time, settings = string.match(fields[i + 1], '^(%d+) (.*)$')
      had[name] = settings
      told[name] = math.max(told[name] or 0, tonumber(time or '0'))
      if now - told[name] > REMEMBERED then
        redis.call('HDEL', nodes, fields[i])
      end
    end
  end
  for name, time in pairs(told) do
    if name ~= node and now - time <= recent and (had[name] or stored) == stored then
      return {'expire', stored}
    end
  end
  stored = nil
end
if not stored then
  redis.call('SET', key, mine)
end
redis.call('HSET', nodes, 'e:' .. node, whole(now) .. ' ' .. mine)
return {'same'}
