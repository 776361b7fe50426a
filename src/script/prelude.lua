-- The host's own Lua: what scripts get in place of the standard functions that would let effects, addresses or
-- per-process order through. Runs once per VM, before the standard library is locked.
local host = ...

local native = {
  error = error, find = string.find, format = string.format, info = debug.info, next = next, pcall = xpcall,
  tostring = tostring,
}
local match, select, type = string.match, select, type
local OUT_OF_MEMORY = "not enough memory"

-- Where the innermost script frame is, as "file:line: ".
local function position()
  local level = 2
  while true do
    local source, line = native.info(level, "sl")
    if source == nil then return "" end
    if source ~= "host" and source ~= "[C]" then return source .. ":" .. line .. ": " end
    level = level + 1
  end
end

-- Turns whatever was raised into what a script may see: a string with its own file and line, or its own table.
local function presentable(raised)
  if type(raised) == "string" then
    local words = match(raised, "^host:%d+: (.*)$")
    if words then return position() .. words end
    return raised
  end
  local words = host.words(raised)
  if words then return position() .. words end
  return raised
end

-- Running out of memory cannot be caught; running out of fuel raises again by itself.
local function settle(ok, ...)
  if not ok and ... == OUT_OF_MEMORY then host.out_of_memory() end
  return ok, ...
end

local function pcall(body, ...)
  return settle(native.pcall(body, presentable, ...))
end

local function handled(handler, ok, ...)
  if ok then return true, ... end
  return false, handler(...)
end

local function xpcall(body, handler, ...)
  return handled(handler, pcall(body, ...))
end

local function tostring(value)
  local kind = type(value)
  if kind == "table" or kind == "function" then return kind end
  return native.tostring(value)
end

-- Keys whose order is the same in every process.
local ORDERED = { string = true, number = true, boolean = true }

local function refuse(kind)
  native.error("iterates a table that has a " .. kind .. " as a key: such keys have no fixed order")
end

local function check_keys(owner, container)
  if type(container) ~= "table" then
    native.error(owner .. " expects a table, got " .. type(container))
  end
  for key in native.next, container do
    if not ORDERED[type(key)] then refuse(type(key)) end
  end
end

local function pairs(container)
  check_keys("pairs", container)
  return native.next, container, nil
end

local function next(container, key)
  if key == nil then check_keys("next", container) end
  local following, value = native.next(container, key)
  if following ~= nil and not ORDERED[type(following)] then refuse(type(following)) end
  return following, value
end

-- What the list of every generic `for` passes through.
local function each(first, state, key)
  if type(first) == "table" then return pairs(first) end
  return first, state, key
end

local ADDRESSED = { table = true, ["function"] = true, userdata = true }

local function format(pattern, ...)
  local count, addressed = select("#", ...), false
  local values = { ... }
  for i = 1, count do
    if ADDRESSED[type(values[i])] then
      values[i] = tostring(values[i])
      addressed = true
    end
  end
  if not addressed then return native.format(pattern, ...) end
  return native.format(pattern, table.unpack(values, 1, count))
end

-- A search without pattern characters is the host's: the native one takes the product of both lengths.
local function find(text, pattern, from, plain)
  local first, last = host.find(text, pattern, from, plain)
  if first == false then return native.find(text, pattern, from) end
  return first, last
end

string.find, string.split, string.format = find, host.split, format

local function absent_from(prefix)
  return { __index = function(_, name) native.error(host.absent(prefix .. native.tostring(name))) end }
end

for name, members in host.libraries do
  local library = host.standard[name]
  for member in library do
    if not members[member] then library[member] = nil end
  end
  setmetatable(library, absent_from(name .. "."))
end

return {
  run = function(body, ...) return native.pcall(body, presentable, ...) end,
  absent_from = absent_from,
  globals = {
    pcall = pcall, xpcall = xpcall, tostring = tostring, pairs = pairs, next = next, [host.each] = each,
  },
}
