--[[
A plugin for Rspamd 3.4 and later: it asks a Weir over HTTP about each mail, once and asynchronously, and inserts what
Weir recognizes as symbols. Beside fuzzy_check it adds the kinds of hashes that Rspamd does not have
(docs/integrate/rspamd-plugin.md).

Options of the section weir {}, each with its default:

  enabled = false           whether the plugin runs
  servers = "127.0.0.1:11336"
                            Weir's HTTP addresses, HOST[:PORT], a list or separated by commas; the first that works
                            is asked
  timeout = 2s              how long a mail waits for all servers together
  revive_time = 10s         how long a server that failed is not asked
  max_size = 10485760       mails with more bytes are not sent
  check_authed = false      whether mails of authenticated users are sent
  check_local = false       whether mails from local addresses are sent
  compression = "auto"      zstd: true, false, or "auto" for servers on other machines only
  key = ""                  the public key of Weir's keypair: requests and replies are encrypted (HTTPCrypt)
  password = ""             the password of Weir's controller for scans
  kinds_only = true         only kinds that Rspamd does not have count, and only what they count more than fuzzy_check
                            does for the same mail; false for a Weir that fuzzy_check does not ask
  symbols {}                the symbol in Rspamd for each symbol of Weir: FUZZY_DENIED = WEIR_DENIED,
                            FUZZY_PROB = WEIR_PROB, FUZZY_WHITE = WEIR_WHITE; others are inserted as WEIR_OTHER
  fuzzy_symbols {}          the symbol of fuzzy_check that has the same hits as a symbol of Weir, if its name differs
  learn_spam = "FUZZY_DENIED"
                            the symbol of Weir that learns spam
  learn_ham = ""            the symbol of Weir that learns ham; without one, ham is only forgotten as spam
  learn_weight = 10         the weight that a learned mail adds
  learn_timeout = 10s       how long learning waits for an answer
  learn_password = ""       the password for learning; without one, that for scans
  learn_hook = false        whether learn_condition of a classifier passes mails on that learn_spam and learn_ham learn
]]

if confighelp then
  return
end

local N = 'weir'
local ASK, RESULT, FAIL, OTHER = 'WEIR_CALLBACK', 'WEIR_RESULT', 'WEIR_FAIL', 'WEIR_OTHER'
local FUZZY_CHECK = 'FUZZY_CALLBACK'
-- What a task remembers: that it is a scan, the answer of Weir, and that the mail was passed on.
local SCANNED, REPLY, LEARNED = 'weir_scanned', 'weir_reply', 'weir_learned'
local USUAL_PORT = 11336
local LOG_SECONDS = 60
-- The reply lists at most some hundred hits of 300 bytes.
local MAX_REPLY = 4 * 1024 * 1024
-- A smaller body is not worth compressing.
local LEAST_PACKED = 1024

local logger = require 'rspamd_logger'
local http = require 'rspamd_http'
local util = require 'rspamd_util'
local ucl = require 'ucl'

-- Each option with its default and the form of its value.
local OPTIONS = {
  enabled = { false, 'boolean' },
  servers = { '127.0.0.1:' .. USUAL_PORT, 'strings' },
  timeout = { 2.0, 'positive' },
  revive_time = { 10.0, 'positive' },
  max_size = { 10 * 1024 * 1024, 'positive' },
  check_authed = { false, 'boolean' },
  check_local = { false, 'boolean' },
  compression = { 'auto', 'compression' },
  key = { '', 'string' },
  password = { '', 'string' },
  kinds_only = { true, 'boolean' },
  symbols = { { FUZZY_DENIED = 'WEIR_DENIED', FUZZY_PROB = 'WEIR_PROB', FUZZY_WHITE = 'WEIR_WHITE' }, 'names' },
  fuzzy_symbols = { {}, 'names' },
  learn_spam = { 'FUZZY_DENIED', 'string' },
  learn_ham = { '', 'string' },
  learn_weight = { 10, 'positive' },
  learn_timeout = { 10.0, 'positive' },
  learn_password = { '', 'string' },
  learn_hook = { false, 'boolean' },
}

local function is_table_of_strings(value)
  if type(value) ~= 'table' then
    return false
  end
  for _, element in pairs(value) do
    if type(element) ~= 'string' then
      return false
    end
  end
  return true
end

-- For each form: whether a value has it, and what a message says about it.
local FORMS = {
  boolean = { function(value) return type(value) == 'boolean' end, 'true or false' },
  string = { function(value) return type(value) == 'string' end, 'a text' },
  strings = { function(value) return type(value) == 'string' or is_table_of_strings(value) end, 'texts' },
  names = { is_table_of_strings, 'a section of names' },
  positive = { function(value) return type(value) == 'number' and value > 0 end, 'a number above 0' },
  compression = { function(value) return type(value) == 'boolean' or value == 'auto' end, 'true, false or "auto"' },
}

local settings = {}
local servers = {}
local problems = {}

local function problem(format, ...)
  problems[#problems + 1] = string.format(format, ...)
end

-- Reads the section. A wrong option is a problem, and the plugin does not run with one.
local function read_options(section)
  for name, option in pairs(OPTIONS) do
    settings[name] = option[1]
  end
  for name, value in pairs(section) do
    local option = OPTIONS[name]
    if not option then
      problem('unknown option "%s"', tostring(name))
    else
      local form = FORMS[option[2]]
      if form[1](value) then
        if option[2] == 'names' then
          for own, other in pairs(option[1]) do
            if value[own] == nil then
              value[own] = other
            end
          end
        end
        settings[name] = value
      else
        problem('"%s": expected %s', name, form[2])
      end
    end
  end
end

local function is_this_machine(host)
  return host == 'localhost' or host == '[::1]' or host:find('^127%.') ~= nil
end

local function read_servers(list)
  local texts = {}
  for _, text in ipairs(type(list) == 'table' and list or { list }) do
    for word in text:gmatch('[^%s,]+') do
      texts[#texts + 1] = word
    end
  end
  for _, text in ipairs(texts) do
    -- An address of IPv6 is in brackets.
    local host, port = text:match('^(%[[%x:.]+%]):?(%d*)$')
    if not host then
      host, port = text:match('^([%w._-]+):?(%d*)$')
    end
    local number = tonumber(port ~= '' and port or USUAL_PORT)
    if not host or not number or number < 1 or number > 65535 then
      problem('"servers": expected HOST:PORT, but found "%s"', text)
    else
      local pack = settings.compression
      if pack == 'auto' then
        pack = not is_this_machine(host)
      end
      servers[#servers + 1] = { name = text, url = string.format('http://%s:%d', host, number), pack = pack, rests = 0,
        failed = false }
    end
  end
  if #texts == 0 then
    problem('"servers" names no server')
  end
end

-- One line a minute about servers that are away, with the number of mails since the last one.
local last_line = 0
local unlogged = 0
-- Whether the last line said that mails have no answer.
local complained = false

local function log_failure(reason)
  unlogged = unlogged + 1
  local now = util.get_time()
  if now - last_line >= LOG_SECONDS then
    logger.errx(rspamd_config, 'weir: %s no answer: %s', unlogged == 1 and '1 mail has' or unlogged .. ' mails have',
        reason)
    last_line = now
    unlogged = 0
    complained = true
  end
end

local function log_answer()
  if complained then
    logger.infox(rspamd_config, 'weir: mails have answers again%s',
        unlogged > 0 and '; ' .. unlogged .. ' more had none' or '')
    unlogged = 0
    complained = false
  end
end

-- Returns the next server to ask. A server whose rest is over gets one mail; the others wait for its answer.
local function next_server(tried)
  local now = util.get_time()
  for _, server in ipairs(servers) do
    if not tried[server] and server.rests <= now then
      if server.failed then
        server.rests = now + settings.timeout
      end
      return server
    end
  end
  return nil
end

local function failed(server)
  server.failed = true
  server.rests = util.get_time() + settings.revive_time
end

local function answered(server)
  server.failed = false
  server.rests = 0
end

-- A header of a request is one line.
local function line(text)
  return (tostring(text):gsub('%c', ' '))
end

local function unpacked(body, headers)
  local packing = headers and (headers['compression'] or headers['content-encoding'])
  if not packing or tostring(packing) ~= 'zstd' then
    return body
  end
  local err, plain = util.zstd_decompress(body)
  if err then
    return nil
  end
  return plain
end

local function parsed(body, headers)
  local plain = body and unpacked(body, headers)
  if not plain then
    return nil
  end
  local parser = ucl.parser()
  if not parser:parse_string(tostring(plain)) then
    return nil
  end
  return parser:get_object()
end

--[[
Sends the content of a mail to the first server that answers, and calls done(reply) or done(nil, reason, status).
A server that does not answer rests, and the next one is asked. After a status of 500 or more, such as that of a full
queue, the next one is asked, too. Any other status is an answer: the next server would give the same.
]]
local function ask(task, request, done)
  local tried = {}
  local deadline = util.get_time() + request.timeout
  local reasons = {}

  local function try()
    local server = next_server(tried)
    if not server then
      done(nil, #reasons > 0 and table.concat(reasons, '; ') or 'all servers rest after failures')
      return
    end
    local left = 0
    for _, other in ipairs(servers) do
      if not tried[other] and other.rests <= util.get_time() then
        left = left + 1
      end
    end
    tried[server] = true
    -- Each server that may still be asked gets its share of the time.
    local time = (deadline - util.get_time()) / math.max(left, 1)

    local function fail(reason)
      reasons[#reasons + 1] = server.name .. ': ' .. reason
      if deadline - util.get_time() > 0.01 then
        try()
      else
        done(nil, table.concat(reasons, '; '))
      end
    end

    local function send()
      local headers = {}
      for name, value in pairs(request.headers) do
        headers[name] = value
      end
      local body = task:get_content()
      if server.pack and #body >= LEAST_PACKED then
        body = util.zstd_compress(body)
        headers['Compression'] = 'zstd'
      end
      local sent = http.request({
        task = task,
        url = server.url .. request.path,
        body = body,
        headers = headers,
        mime_type = 'message/rfc822',
        timeout = math.max(time, 0.01),
        max_size = MAX_REPLY,
        peer_key = settings.key ~= '' and settings.key or nil,
        callback = function(err, code, reply_body, reply_headers)
          if err or not code then
            failed(server)
            fail(tostring(err or 'no answer'))
            return
          end
          if code == 415 and server.pack then
            -- This Weir has no zstd.
            server.pack = false
            send()
            return
          end
          answered(server)
          if code >= 500 then
            fail('status ' .. code)
            return
          end
          local reply = parsed(reply_body, reply_headers)
          if code ~= 200 then
            done(nil, string.format('%s: status %d%s', server.name, code,
                reply and reply.error and ', ' .. line(reply.error) or ''), code)
          elseif not reply then
            done(nil, server.name .. ': the answer is not JSON', 502)
          else
            done(reply)
          end
        end
      })
      if not sent then
        failed(server)
        fail('the request cannot be sent')
      end
    end

    send()
  end

  try()
end

-- Returns why a mail is not sent, or nil.
local function exempt(task)
  if not settings.check_authed and task:get_user() then
    return 'its user is authenticated'
  end
  local ip = task:get_from_ip()
  if not settings.check_local and ip and ip:is_valid() and ip:is_local() then
    return 'its sender is local'
  end
  local size = task:get_size()
  if size == 0 then
    return 'it is empty'
  end
  if size > settings.max_size then
    return 'it has ' .. size .. ' bytes'
  end
  return nil
end

-- Returns the headers that describe the envelope.
local function envelope(task)
  local headers = {}
  local ip = task:get_from_ip()
  if ip and ip:is_valid() then
    headers['IP'] = tostring(ip)
  end
  for name, value in pairs({ Helo = task:get_helo(), Hostname = task:get_hostname(), User = task:get_user(),
    ['Queue-Id'] = task:get_queue_id() }) do
    headers[name] = line(value)
  end
  local from = task:get_from('smtp')
  if from and from[1] and from[1].addr then
    headers['From'] = line(from[1].addr)
  end
  return headers
end

local function fail_symbol(task, reason)
  task:insert_result(FAIL, 0.0, line(reason))
end

local function callback(task)
  task:cache_set(SCANNED, true)
  local reason = exempt(task)
  if reason then
    logger.debugm(N, task, 'the mail is not sent: %s', reason)
    return
  end
  local headers = envelope(task)
  if settings.password ~= '' then
    headers['Password'] = settings.password
  end
  ask(task, { path = '/checkv2', headers = headers, timeout = settings.timeout }, function(reply, why)
    if not reply then
      fail_symbol(task, why)
      log_failure(why)
      return
    end
    log_answer()
    if reply.unanswered then
      fail_symbol(task, 'a storage did not answer')
    elseif reply.not_hashed then
      logger.infox(task, 'weir: the mail is not hashed: %s', reply.not_hashed)
    end
    task:cache_set(REPLY, reply)
  end)
end

local function score_of(symbol)
  local metric = rspamd_config:get_metric_symbol(symbol)
  return metric and metric.score or 0
end

-- Returns the options of the hits of a symbol, in the form of fuzzy_check: flag, digest, probability, kind.
local function hits_of(reply, name)
  local options, kinds = {}, 0
  for _, match in ipairs(reply.matches or {}) do
    -- Kinds that Rspamd does not have end in their version.
    local of_weir = match.kind:find('%d$') ~= nil
    if match.symbol == name and (of_weir or not settings.kinds_only) then
      options[#options + 1] = string.format('%d:%s:%.2f:%s', match.flag, match.digest:sub(1, 10), match.probability,
          match.kind)
      kinds = kinds + (of_weir and 1 or 0)
    end
  end
  return options, kinds
end

-- Returns the share of a whole hit that remains if fuzzy_check has counted hits of the same mail.
local function remaining(task, share, name, own)
  local score = score_of(own)
  local hits = task:get_symbol(settings.fuzzy_symbols[name] or name)
  if not hits or score == 0 then
    return share
  end
  local counted = 0
  for _, hit in ipairs(hits) do
    counted = counted + (hit.score or 0)
  end
  return math.max(share - math.max(counted / score, 0), 0)
end

-- Inserts what Weir answered. Runs when the answer and the results of fuzzy_check are there.
local function insert(task)
  local reply = task:cache_get(REPLY)
  if not reply then
    return
  end
  for name, symbol in pairs(reply.symbols or {}) do
    local options = hits_of(reply, name)
    local own = settings.symbols[name]
    if #options > 0 and not own then
      table.insert(options, 1, name)
      task:insert_result(OTHER, 0.0, options)
    elseif #options > 0 then
      local share = 0
      if settings.kinds_only then
        share = remaining(task, symbol.kinds or 0, name, own)
      elseif symbol.metric_score ~= 0 then
        share = symbol.score / symbol.metric_score
      end
      task:insert_result(own, share, options)
    end
  end
end

-- Returns the headers of a request that learns or forgets a mail on the list of a symbol.
local function list_headers(symbol)
  local headers = { Symbol = symbol, Weight = tostring(settings.learn_weight) }
  local password = settings.learn_password ~= '' and settings.learn_password or settings.password
  if password ~= '' then
    headers['Password'] = password
  end
  return headers
end

--[[
Learns a mail: spam on the list for spam; ham is forgotten there, and learned on the list for ham if there is one. Calls
done(reply) or done(nil, reason, status).
]]
local function learn(task, is_spam, done)
  local function add(symbol)
    ask(task, { path = '/fuzzyadd', headers = list_headers(symbol), timeout = settings.learn_timeout }, done)
  end
  if is_spam then
    add(settings.learn_spam)
    return
  end
  ask(task, { path = '/fuzzydel', headers = list_headers(settings.learn_spam), timeout = settings.learn_timeout },
      function(reply, reason, status)
        if reply and settings.learn_ham ~= '' then
          add(settings.learn_ham)
        else
          done(reply, reason, status)
        end
      end)
end

-- The path /plugins/weir/learn of Rspamd's controller: the class is an argument or a header, spam or ham.
local function handle_learn(task, connection, arguments)
  local class = arguments and arguments.class or task:get_request_header('Class')
  class = class and tostring(class)
  if class ~= 'spam' and class ~= 'ham' then
    connection:send_error(400, 'class must be spam or ham')
    return
  end
  learn(task, class == 'spam', function(reply, reason, status)
    if reply then
      connection:send_ucl(reply)
    else
      connection:send_error(status or 503, reason)
    end
  end)
end

-- Whether this process is Rspamd's controller, which alone learns what a person asks for.
local is_controller = false

--[[
A learn_condition for a classifier: passes on what a person lets Rspamd learn, not what a scan learns by itself. Whether
the classifier learns the mail, Rspamd's own condition decides.
]]
local function learn_condition(task, is_spam, is_unlearn)
  if settings.learn_hook and is_controller and not is_unlearn and not task:cache_get(SCANNED)
      and not task:cache_get(LEARNED) then
    task:cache_set(LEARNED, true)
    learn(task, is_spam, function(reply, reason)
      if reply then
        logger.infox(task, 'weir: learned as %s', is_spam and 'spam' or 'ham')
      else
        logger.errx(task, 'weir: not learned: %s', reason)
      end
    end)
  end
  return require('lua_bayes_learn').can_learn(task, is_spam, is_unlearn)
end

local section = rspamd_config:get_all_opt(N)
if type(section) ~= 'table' then
  return
end
read_options(section)
if settings.enabled then
  read_servers(settings.servers)
end
for _, text in ipairs(problems) do
  logger.errx(rspamd_config, 'weir: %s', text)
end
if not settings.enabled or #problems > 0 then
  if #problems > 0 then
    logger.errx(rspamd_config, 'weir: the plugin does not run')
  end
  require('lua_util').disable_module(N, #problems > 0 and 'fail' or 'config')
  return
end

local id = rspamd_config:register_symbol({ name = ASK, type = 'callback', callback = callback, flags = 'empty,nostat',
  augmentations = { string.format('timeout=%f', settings.timeout) } })
local result = rspamd_config:register_symbol({ name = RESULT, type = 'callback', callback = insert,
  flags = 'empty,nostat' })
rspamd_config:register_symbol({ name = FAIL, type = 'virtual', parent = id, group = N, score = 0.0 })
rspamd_config:register_symbol({ name = OTHER, type = 'virtual', parent = result, group = N, score = 0.0 })
for _, name in pairs(settings.symbols) do
  rspamd_config:register_symbol({ name = name, type = 'virtual', parent = result, group = N, score = 0.0 })
end
rspamd_config:register_dependency(RESULT, ASK)
if settings.kinds_only and rspamd_config:get_all_opt('fuzzy_check') then
  rspamd_config:register_dependency(RESULT, FUZZY_CHECK)
end

rspamd_config:add_on_load(function(_, _, worker)
  is_controller = worker:get_name() == 'controller'
end)

rspamd_plugins[N] = {
  learn_condition = learn_condition,
  webui = { learn = { handler = handle_learn, enable = true, need_task = true } },
}
