// What a script finds in its Lua before it runs: what Argo CD gives it and nothing else. Without the open libraries these
// are the base functions, `table` and `require("os")`, which has only `time` and `date`, both in UTC and by the clock that
// is handed in. With them `string`, `math`, `coroutine` and `os` (time, date, difftime) are there too, but nothing that
// reaches files, processes or the interpreter itself.

/** Runs with the time in seconds, whether the libraries are open, and the C library's `os`; answers what the script asked for. */
export const preludeSource = `
local now, open, clib = ...
local seen = {}

-- Days since 1970-01-01 of a date in the proleptic Gregorian calendar; months count from March.
local function days(year, month, day)
  local m = month - 3
  local y = year + (m - m % 12) / 12
  m = m % 12
  local leaps = (y - y % 4) / 4 - (y - y % 100) / 100 + (y - y % 400) / 400
  return 365 * y + leaps + ((153 * m + 2) - (153 * m + 2) % 5) / 5 + day - 719469
end

local function field(of, name, otherwise)
  local value = tonumber(of[name]) or otherwise
  if value == nil then error("field '" .. name .. "' missing in date table", 3) end
  return value
end

local os = {}
function os.time(at)
  if at == nil then
    seen.clock = true
    return now
  end
  local day = days(field(at, 'year'), field(at, 'month'), field(at, 'day'))
  return ((day * 24 + field(at, 'hour', 12)) * 60 + field(at, 'min', 0)) * 60 + field(at, 'sec', 0)
end
function os.date(format, at)
  if at == nil then
    seen.clock = true
    at = now
  end
  format = format or '%c'
  -- The string library is not open here: what begins with '!' comes between '!' and the next character.
  if not (format >= '!' and format < '"') then format = '!' .. format end
  return clib.date(format, at)
end

local modules = { os = os, table = table }
if open then
  os.difftime = function(a, b) return a - (b or 0) end
  string.dump = nil
  modules.string, modules.math, modules.coroutine = string, math, coroutine
  _G.os = os
else
  _G.os, _G.coroutine = nil, nil
end
function require(name)
  if modules[name] == nil then error("module '" .. tostring(name) .. "' is not there for scripts", 2) end
  return modules[name]
end

-- Code that was compiled elsewhere could do what source text cannot.
local compile = loadstring
function loadstring(text, name)
  if type(text) == 'string' and text >= '\\27' and text < '\\28' then return nil, 'compiled code is not loaded' end
  return compile(text, name)
end
function load(piece, name)
  local pieces = {}
  for part in piece do
    if part == '' then break end
    pieces[#pieces + 1] = part
  end
  return loadstring(table.concat(pieces), name)
end
dofile, loadfile, newproxy = nil, nil, nil
function print() end
return seen
`
