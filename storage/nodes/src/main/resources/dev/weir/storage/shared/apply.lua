-- Brings the keys to what the stream says, as far as they are not. Each command sets something to a value, so it does
-- not matter if a crash of Redis repeats some of them (docs/operate/nodes.md#how-a-batch-is-applied-once).
local refused = refusal()
if refused then
  return refused
end
local applied = redis.call('HGET', nodes, 'applied') or '0'
local entries = redis.call('XRANGE', stream, '(' .. applied .. '-1', '+', 'COUNT', 2)
for _, entry in ipairs(entries) do
  local fields = entry[2]
  local about = {}
  for i = 1, #fields, 2 do
    if #fields[i] == 64 then
      put(fields[i], string.sub(fields[i + 1], 1, 1), string.sub(fields[i + 1], 2))
    elseif #fields[i] == 65 then
      redis.call('SET', prefix .. '_weir_gone' .. string.sub(fields[i], 2), fields[i + 1], 'EX', REMEMBERED)
    else
      about[fields[i]] = fields[i + 1]
    end
  end
  if finish then
    finish()
  end
  -- Entries of the format before have no mark.
  redis.call('HSET', nodes, 'n:' .. about.n, about.r, 'mark', about.m or '', 'applied',
    string.match(entry[1], '^%d+'))
end
return {'done', whole(#entries)}
