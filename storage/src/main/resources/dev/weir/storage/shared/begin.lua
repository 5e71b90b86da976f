local prefix, expire = ARGV[1], tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local change, state, batched
