-- Storage handlers. A script registers them as in Rspamd, on the worker that an on_load function receives:
--   rspamd_config:add_on_load(function(cfg, ev_base, worker)
--     if worker:get_name() == "fuzzy" then worker:add_fuzzy_pre_handler(function(ip, cmd, digest, ...) ... end) end
--   end)
-- or returns a table { pre = f, post = f, blacklist = f } with a function or a list of functions for each.
local kit = ...
local host, class, env = kit.host, kit.class, kit.env
local error, ipairs, pairs, select, tonumber, tostring, type = error, ipairs, pairs, select, tonumber, tostring, type

local MOST_HANDLERS = 64
local handlers = { pre = {}, post = {}, blacklist = {} }
local function add(kind, handler)
  if type(handler) ~= "function" then
    error("a handler must be a function, not a " .. type(handler), 3)
  end
  local list = handlers[kind]
  if #list >= MOST_HANDLERS then
    error("more than " .. MOST_HANDLERS .. " handlers", 3)
  end
  list[#list + 1] = handler
end

local worker_methods = {}
local new_worker, worker_state = class("rspamd_worker", worker_methods)
for kind in pairs(handlers) do
  worker_methods["add_fuzzy_" .. kind .. "_handler"] = function(self, handler)
    worker_state(self)
    add(kind, handler)
  end
end
function worker_methods:get_name()
  worker_state(self)
  return "fuzzy"
end
function worker_methods:get_index()
  worker_state(self)
  return 0
end
function worker_methods:get_count()
  worker_state(self)
  return 1
end
function worker_methods:is_scanner()
  worker_state(self)
  return false
end
function worker_methods:is_primary_controller()
  worker_state(self)
  return false
end
function worker_methods:block_fuzzy_client(address, prefix, expires, reason, code)
  worker_state(self)
  local ip = kit.ip_from(address)
  if not ip then
    return false, "no address: " .. tostring(address)
  end
  local message = host("hooks.block", tostring(ip), tonumber(prefix) or -1, tonumber(expires) or 0,
    reason ~= nil and kit.plain(reason) or "", tonumber(code) or 0)
  if message then
    return false, message
  end
  return true
end
function worker_methods:is_ratelimit_whitelisted(address)
  worker_state(self)
  local ip = kit.ip_from(address)
  return ip ~= nil and host("hooks.whitelisted", tostring(ip)) == true
end

local config_methods = {}
local new_config, config_state = class("rspamd_config", config_methods)
local on_load = {}
function config_methods:add_on_load(f)
  config_state(self)
  if type(f) ~= "function" then
    error("add_on_load takes a function, not a " .. type(f), 2)
  end
  on_load[#on_load + 1] = f
end

-- The 32 values of a hash. They exceed the precision of a double, so they are strings.
local shingle_methods = {}
local new_shingle, shingle_state = class("rspamd_shingle", shingle_methods)
function shingle_methods:to_table()
  local list = {}
  for i, value in ipairs(shingle_state(self)) do
    list[i] = value
  end
  return list
end
function shingle_methods:get_string(i)
  return shingle_state(self)[i + 1]
end
function shingle_methods:get(i)
  local value = shingle_state(self)[i + 1]
  return value and tonumber("0x" .. value)
end

local interface = {}

function interface.start(chunk)
  local config, worker = new_config({}), new_worker({})
  env.rspamd_config = config
  env.rspamd_logger = kit.modules.rspamd_logger
  env.rspamd_regexp = kit.modules.rspamd_regexp
  local returned = kit.enter(chunk)
  for _, f in ipairs(on_load) do
    f(config, nil, worker)
  end
  if type(returned) == "table" then
    for kind, given in pairs(returned) do
      if not handlers[kind] then
        error("no kind of handler: " .. tostring(kind), 0)
      end
      for _, handler in ipairs(type(given) == "table" and given or { given }) do
        add(kind, handler)
      end
    end
  end
end

function interface.kinds()
  return #handlers.pre, #handlers.post, #handlers.blacklist
end

local function extensions(map)
  if map and map.ip then
    map.ip = kit.ip(map.ip)
  end
  return map
end

-- Runs handlers until one returns true.
local function first(list, ...)
  for _, handler in ipairs(list) do
    local answered, value, prob, flag = handler(...)
    if answered == true then
      return true, tonumber(value) or 0, tonumber(prob) or 0, tonumber(flag)
    end
  end
  return false
end

function interface.pre(ip, cmd, digest, is_shingle, extra, shingle, flag, value)
  return first(handlers.pre, kit.ip(ip), cmd, kit.text(digest), is_shingle, extensions(extra),
    shingle and new_shingle(shingle), flag, value)
end

function interface.post(ip, cmd, digest, is_shingle, value, prob, flag, ts, extra, shingle)
  return first(handlers.post, kit.ip(ip), cmd, kit.text(digest), is_shingle, value, prob, flag, ts, extensions(extra),
    shingle and new_shingle(shingle))
end

function interface.blacklist(ip, reason, event, info, digest, extra)
  for _, handler in ipairs(handlers.blacklist) do
    handler(kit.ip(ip), reason, event, info, digest and kit.text(digest), extra)
  end
end

return interface
