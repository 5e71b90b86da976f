-- A learn condition: the script returns a function of a task. The task has the methods of rspamd_task that learn
-- conditions use. Each method queries the program when called.
local kit = ...
local host, class = kit.host, kit.class
local error, ipairs, lower, select, tonumber, tostring, type = error, ipairs, string.lower, select, tonumber, tostring, type

local function accessors(name, fields)
  local methods = {}
  local new, state_of = class(name, methods)
  for method, field in pairs(fields) do
    methods[method] = function(self)
      return state_of(self)[field]
    end
  end
  return new, state_of, methods
end

local new_url, url_state, url_methods = accessors("rspamd_url", {
  get_text = "text", get_host = "host", get_tld = "tld", get_protocol = "protocol", get_user = "user", get_raw = "text",
})
function url_methods:to_table()
  local state = url_state(self)
  return { url = state.text, host = state.host, tld = state.tld, protocol = state.protocol, user = state.user }
end

local new_text_part, text_part_state, text_part_methods = accessors("rspamd_textpart", {
  get_words_count = "words", is_html = "html", get_raw_length = "length",
})
function text_part_methods:get_content()
  return kit.text(text_part_state(self).content)
end
function text_part_methods:get_length()
  return #text_part_state(self).content
end
function text_part_methods:is_empty()
  return #text_part_state(self).content == 0
end
function text_part_methods:get_language()
  local language = text_part_state(self).language
  return language ~= "" and language or nil
end

-- The structure of HTML: the digest, and the shingles with the hashes beside them. Shingles are decimal texts, since a
-- number of Lua cannot hold 64 bits. The memory pool that Rspamd asks for does not matter here.
function text_part_methods:get_html_fuzzy_hashes()
  local found = host("task.html_hashes", text_part_state(self).index)
  if not found then
    return nil
  end
  local shingles = found.shingles
  shingles.cta_domains_hash, shingles.all_domains_hash = found.cta_domains_hash, found.all_domains_hash
  shingles.features_hash, shingles.tags_count = found.features_hash, found.tags_count
  return found.digest, shingles
end

local new_part, part_state, part_methods = accessors("rspamd_mimepart", {
  get_filename = "filename", is_attachment = "attachment", get_length = "length",
})
function part_methods:get_type()
  local state = part_state(self)
  return state.type, state.subtype
end
function part_methods:is_text()
  return part_state(self).type == "text"
end
function part_methods:is_image()
  return part_state(self).type == "image"
end
function part_methods:is_multipart()
  return part_state(self).type == "multipart"
end

local methods = {}
local new_task, task_state = class("rspamd_task", methods)

local new_mempool = class("rspamd_mempool", {})
function methods:get_mempool()
  task_state(self)
  return new_mempool({})
end

local function all(list, new)
  for i, item in ipairs(list) do
    list[i] = new(item)
  end
  return list
end

-- Like Rspamd, accept a number or a name. Without one, the envelope takes precedence over the mail.
local KINDS = { [1] = "smtp", [2] = "mime", smtp = "smtp", envelope = "smtp", orig = "smtp", mime = "mime", any = "any" }
local function addresses(self, asked, what)
  task_state(self)
  if type(what) == "table" then
    what = what[1]
  end
  local kind = what == nil and "any" or KINDS[what] or KINDS[type(what) == "string" and lower(what) or 0]
  if not kind then
    -- As in Rspamd, which logs the error. 0 is its number for any.
    kind = "any"
    if what ~= 0 then
      host("core.log", "err", "invalid email type: " .. tostring(what))
    end
  end
  local list = host(asked, kind == "any" and "smtp" or kind)
  if #list == 0 and kind == "any" then
    list = host(asked, "mime")
  end
  return #list > 0 and list or nil
end

function methods:get_from(kind)
  return addresses(self, "task.from", kind)
end
function methods:get_recipients(kind)
  return addresses(self, "task.recipients", kind)
end
function methods:has_from(kind)
  return addresses(self, "task.from", kind) ~= nil
end
function methods:has_recipients(kind)
  local list = addresses(self, "task.recipients", kind)
  return list ~= nil, list and #list or 0
end

local function headers(self, name, strong)
  task_state(self)
  return host("task.headers", kit.plain(name), strong and true or false)
end
function methods:get_header(name, strong)
  local list = headers(self, name, strong)
  return list[1] and list[1].decoded
end
function methods:get_header_raw(name, strong)
  local list = headers(self, name, strong)
  return list[1] and list[1].value
end
function methods:get_header_full(name, strong)
  local list = headers(self, name, strong)
  return #list > 0 and list or nil
end
function methods:get_header_count(name, strong)
  return #headers(self, name, strong)
end
function methods:has_header(name, strong)
  local count = #headers(self, name, strong)
  return count > 0, count
end

function methods:get_subject()
  task_state(self)
  return host("task.subject")
end
function methods:get_message_id()
  task_state(self)
  return host("task.message_id") or "undef"
end
function methods:get_size()
  task_state(self)
  return host("task.size")
end
function methods:get_content()
  task_state(self)
  return kit.text(host("task.content"))
end
function methods:get_digest()
  task_state(self)
  return host("task.digest")
end
function methods:get_text_parts()
  task_state(self)
  return all(host("task.text_parts"), new_text_part)
end
function methods:get_parts()
  task_state(self)
  return all(host("task.parts"), new_part)
end
function methods:get_urls()
  task_state(self)
  return all(host("task.urls"), new_url)
end
function methods:has_urls()
  task_state(self)
  local count = #host("task.urls")
  return count > 0, count
end
function methods:get_emails()
  task_state(self)
  return all(host("task.emails"), new_url)
end
function methods:get_received_headers()
  task_state(self)
  return host("task.received")
end
function methods:get_request_header(name)
  task_state(self)
  local value = host("task.request_header", kit.plain(name))
  return value and kit.text(value) or nil
end
function methods:get_ip()
  task_state(self)
  local value = host("task.request_header", "ip")
  return value and kit.ip_from(value) or nil
end
methods.get_from_ip = methods.get_ip
for method, name in pairs({ get_user = "user", get_helo = "helo", get_hostname = "hostname", get_queue_id = "queue-id" }) do
  methods[method] = function(self)
    task_state(self)
    return host("task.request_header", name)
  end
end

local function symbol(name)
  for _, found in ipairs(host("task.symbols")) do
    if found.name == name then
      return found
    end
  end
end
function methods:has_symbol(name)
  task_state(self)
  return symbol(name) ~= nil
end
function methods:get_symbol(name)
  task_state(self)
  local found = symbol(name)
  return found and { found } or nil
end
function methods:get_symbols_all()
  task_state(self)
  return host("task.symbols")
end
function methods:get_metric_score()
  task_state(self)
  return host("task.score")
end

local interface, condition = {}, nil

function interface.start(chunk)
  condition = kit.enter(chunk)
  if type(condition) ~= "function" then
    error("the source must return a function, it returned " .. (condition == nil and "nothing" or "a " .. type(condition)), 0)
  end
end

function interface.decide()
  return condition(new_task({}))
end

return interface
