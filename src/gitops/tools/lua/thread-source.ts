// The program of the thread that runs Lua scripts: Lua 5.1 as WebAssembly, a fresh state for every script. It pushes the
// object as tables, runs the prelude and the script under a limit of steps and memory, and reads the answer back as JSON.
// Text, because it runs where neither this module nor its imports are; CommonJS for the same reason.

import { preludeSource } from './prelude.ts'

export interface Limits {
  readonly steps: number
  readonly bytes: number
}

export const threadSource = ({ steps, bytes }: Limits): string => `
const { parentPort, workerData } = require('node:worker_threads')
const { LuaApi } = require(workerData)
const [globals, multiple, nil, boolean, number, string, table] = [-10002, -1, 0, 1, 3, 4, 5]
const prelude = ${JSON.stringify(preludeSource)}
const depthMax = 100

class Fault extends Error {}

const ready = LuaApi.initialize().then(({ module }) => machineOf(module))

function machineOf(m) {
  let limited = false
  let used = 0
  let stepsLeft = 0
  let room = 0
  let buffer = 0
  const allocate = m.addFunction((_, pointer, before, after) => {
    const more = after - (pointer === 0 ? 0 : before)
    if (limited && more > 0 && used + more > ${bytes}) return 0
    const made = after === 0 ? (m._free(pointer), 0) : m._realloc(pointer, after)
    if (made !== 0 || after === 0) used += more
    return made
  }, 'iiiii')
  const stride = 100000
  const tick = m.addFunction((L) => {
    stepsLeft -= stride
    if (stepsLeft > 0) return
    // From here on every single step fails: a script cannot catch it and go on.
    m._lua_sethook(L, tick, 8, 1)
    m._luaL_where(L, 0)
    text(L, 'takes more than ${steps / 1e6} million steps')
    m._lua_concat(L, 2)
    m._lua_error(L)
  }, 'vii')

  /** A C string in memory that is used again by the next one. */
  function scratch(value) {
    const length = m.lengthBytesUTF8(value)
    if (length + 1 > room) {
      m._free(buffer)
      room = 2 * (length + 1)
      buffer = m._malloc(room)
    }
    m.stringToUTF8(value, buffer, length + 1)
    return length
  }
  function text(L, value) {
    const length = scratch(value)
    m._lua_pushlstring(L, buffer, length)
  }
  function push(L, value) {
    if (m._lua_checkstack(L, 4) === 0) throw new Fault('the object is nested too deeply')
    if (value === null || value === undefined) m._lua_pushnil(L)
    else if (typeof value === 'boolean') m._lua_pushboolean(L, value ? 1 : 0)
    else if (typeof value === 'number') m._lua_pushnumber(L, value)
    else if (typeof value === 'string') text(L, value)
    else if (Array.isArray(value)) {
      m._lua_createtable(L, value.length, 0)
      value.forEach((each, index) => (push(L, each), m._lua_rawseti(L, -2, index + 1)))
    } else {
      m._lua_createtable(L, 0, Object.keys(value).length)
      for (const [name, each] of Object.entries(value)) (text(L, name), push(L, each), m._lua_rawset(L, -3))
    }
  }
  const textAt = (L, index) => m.UTF8ToString(m._lua_tolstring(L, index, 0))

  /** Like Argo CD's encoder: a table without elements is an empty list, one with numbers for keys a list. */
  function read(L, depth) {
    const type = m._lua_type(L, -1)
    if (type === nil) return null
    if (type === boolean) return m._lua_toboolean(L, -1) !== 0
    if (type === number) return finite(m._lua_tonumber(L, -1))
    if (type === string) return textAt(L, -1)
    const name = m.UTF8ToString(m._lua_typename(L, type))
    if (type !== table) throw new Fault('the script returns a ' + name + ' inside of its answer, which is no JSON')
    if (depth > depthMax || m._lua_checkstack(L, 4) === 0) throw new Fault('the answer of the script is nested too deeply')
    const fields = {}
    const elements = []
    let others = 0
    for (m._lua_pushnil(L); m._lua_next(L, -2) !== 0; m._lua_settop(L, -2)) {
      const value = read(L, depth + 1)
      if (m._lua_type(L, -2) === string) Object.defineProperty(fields, textAt(L, -2), { value, enumerable: true, configurable: true, writable: true })
      else if (m._lua_type(L, -2) === number) elements[m._lua_tonumber(L, -2) - 1] = value
      else others += 1
    }
    const names = Object.keys(fields).length
    if (others > 0 || (names > 0 && elements.length > 0)) throw new Fault('the script returns a table with keys of different types, which is no JSON')
    if (names > 0) return fields
    if (Object.keys(elements).length !== elements.length) throw new Fault('the script returns a list with holes in it, which is no JSON')
    return elements
  }
  function finite(value) {
    if (Number.isFinite(value)) return value
    throw new Fault('the script returns ' + value + ', which is no JSON')
  }

  /** Compiles; the function is on the stack. */
  function compile(L, source, name) {
    const length = scratch(source)
    const label = m._malloc(m.lengthBytesUTF8(name) + 2)
    m.stringToUTF8('=' + name, label, m.lengthBytesUTF8(name) + 2)
    const result = m._luaL_loadbuffer(L, buffer, length, label)
    m._free(label)
    if (result !== 0) throw new Fault(textAt(L, -1))
  }
  function open(L, libraries) {
    for (const library of libraries) m['_luaopen_' + library](L)
    m._lua_settop(L, 0)
  }
  function field(L, name) {
    scratch(name)
    m._lua_getfield(L, globals, buffer)
  }
  function setGlobal(L, name) {
    scratch(name)
    m._lua_setfield(L, globals, buffer)
  }

  return function run({ script, name, object, parameters, isOpen, now }) {
    used = 0
    limited = false
    const L = m._lua_newstate(allocate, 0)
    try {
      open(L, ['base', 'table', 'os', ...(isOpen ? ['string', 'math'] : [])])
      compile(L, prelude, 'prelude')
      push(L, now)
      push(L, isOpen)
      field(L, 'os')
      if (m._lua_pcall(L, 3, 1, 0) !== 0) throw new Fault(textAt(L, -1))
      push(L, JSON.parse(object))
      setGlobal(L, 'obj')
      push(L, parameters)
      setGlobal(L, 'actionParams')
      compile(L, script, name)
      stepsLeft = ${steps}
      m._lua_sethook(L, tick, 8, stride)
      limited = true
      const result = m._lua_pcall(L, 0, 1, 0)
      limited = false
      m._lua_sethook(L, 0, 0, 0)
      if (result !== 0) throw new Fault(m._lua_type(L, -1) === table ? 'the script raised a table as its error' : textAt(L, -1))
      const value = read(L, 0)
      scratch('clock')
      m._lua_getfield(L, 1, buffer)
      return { value: JSON.stringify(value), asksTime: m._lua_toboolean(L, -1) !== 0 }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return { fault: error.message, stopped: stepsLeft <= 0 }
    } finally {
      limited = false
      m._lua_close(L)
    }
  }
}

parentPort.on('message', async (question) => {
  const run = await ready
  parentPort.postMessage(run(question))
})
`
