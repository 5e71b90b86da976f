-- Runs the plugin for Rspamd without Rspamd: arg[1] is the plugin, arg[2] is its option kinds_only. The first server does
-- not answer, the second one does.
local symbols, requests, inserted, cache, loaded = {}, {}, {}, {}, nil

local answer = {
  symbols = { FUZZY_DENIED = { score = 3.36, metric_score = 12.0, kinds = 0.28 },
    OTHER_LIST = { score = 1.0, metric_score = 1.0, kinds = 0.5 } },
  matches = {
    { symbol = 'FUZZY_DENIED', kind = 'source1', flag = 21.0, probability = 0.4375, digest = ('ab'):rep(64) },
    { symbol = 'FUZZY_DENIED', kind = 'txt', flag = 1.0, probability = 1.0, digest = ('cd'):rep(64) },
    { symbol = 'OTHER_LIST', kind = 'links1', flag = 65.0, probability = 1.0, digest = ('ef'):rep(64) },
  },
}

local function ignored() end

package.preload.rspamd_logger = function()
  return { errx = function(_, format, ...) print('error', format, ...) end, infox = ignored, debugm = ignored }
end
package.preload.rspamd_util = function()
  return { get_time = os.time }
end
package.preload.ucl = function()
  return { parser = function()
    return { parse_string = function(_, text) return text == 'answer' end, get_object = function() return answer end }
  end }
end
package.preload.rspamd_http = function()
  return { request = function(request)
    requests[#requests + 1] = request
    if request.url:find('first', 1, true) then
      request.callback('refused')
    else
      request.callback(nil, 200, 'answer', {})
    end
    return true
  end }
end

package.preload.lua_bayes_learn = function()
  return { can_learn = function() return 'as the classifier wants' end }
end

rspamd_plugins = {}
rspamd_config = {
  get_all_opt = function(_, name)
    return name == 'weir' and { enabled = true, servers = 'first.example, [::1]:99', timeout = 4.0,
      kinds_only = arg[2] == 'true', learn_hook = true } or nil
  end,
  register_symbol = function(_, symbol)
    symbols[symbol.name] = symbol
    return 1
  end,
  register_dependency = ignored,
  add_on_load = function(_, callback) loaded = callback end,
  get_metric_symbol = function() return { score = 12.0 } end,
}

dofile(arg[1])

local task = {
  get_user = ignored,
  get_from_ip = ignored,
  get_size = function() return 5 end,
  get_content = function() return 'a mail' end,
  get_helo = function() return 'one\r\ntwo' end,
  get_hostname = ignored,
  get_queue_id = ignored,
  get_from = ignored,
  get_symbol = function(_, name) return name == 'FUZZY_DENIED' and { { score = 1.2 } } or nil end,
  cache_set = function(_, key, value) cache[key] = value end,
  cache_get = function(_, key) return cache[key] end,
  insert_result = function(_, name, share, options)
    inserted[#inserted + 1] = string.format('%s %.2f %s', name, share, table.concat(options, ' '))
  end,
}
symbols.WEIR_CALLBACK.callback(task)
symbols.WEIR_RESULT.callback(task)
for _, request in ipairs(requests) do
  print('request', request.url, string.format('%.1f', request.timeout), (request.headers.Helo:gsub('%c', '?')))
end
-- Only the controller passes on what it learns, and nothing that it has scanned.
local function learned(worker, scanned)
  loaded(nil, nil, { get_name = function() return worker end })
  requests, cache = {}, { weir_scanned = scanned }
  local verdict = rspamd_plugins.weir.learn_condition(task, true, false)
  rspamd_plugins.weir.learn_condition(task, true, false)
  local last = requests[#requests]
  print('learned', worker, tostring(scanned), last and last.url:match('[^/]+$') .. ' ' .. last.headers.Symbol or '-', verdict)
end
learned('normal', nil)
learned('controller', true)
learned('controller', nil)
table.sort(inserted)
for _, result in ipairs(inserted) do
  print('inserted', result)
end
