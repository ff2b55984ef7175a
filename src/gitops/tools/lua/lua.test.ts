import { afterAll, describe, expect, test } from 'vitest'
import type { Json } from '#objects'
import { simulatedWorld, systemWorld } from '#world'
import { createLua } from './lua.ts'

const lua = createLua(systemWorld())
afterAll(() => lua.close())

const object = {
  metadata: { name: 'web', labels: { 'a.b/c': 'ü' } },
  spec: { replicas: 3, list: ['a', 'b'], none: {} },
}

const run = (text: string, openLibs = false, obj: Json = object) => lua.run({ text, name: 'health.lua', openLibs }, obj)
const returned = async (text: string, openLibs = false): Promise<Json> => (await run(text, openLibs)).value

describe('a script', () => {
  test.each<[text: string, value: Json]>([
    ['return obj', { ...object, spec: { ...object.spec, none: [] } }],
    ['return', null],
    ['return {}', []],
    ['return { status = "Healthy" }', { status: 'Healthy' }],
    ['return { { a = 1 }, { a = 2 } }', [{ a: 1 }, { a: 2 }]],
    ['return obj.metadata.labels["a.b/c"]', 'ü'],
    ['return "at " .. obj.spec.replicas / 1', 'at 3'],
    ['return table.getn(obj.spec.list) + #obj.spec.list', 4],
    ['local s = 0 for _, v in ipairs({ 1, 2 }) do s = s + v end return s', 3],
    ['return { unpack({ 1, 2 }) }', [1, 2]],
    ['return (pcall(error, "x")) == false', true],
    ['return loadstring("return 1 + 1")()', 2],
    ['setfenv(1, { x = 5 }) return x', 5],
    ['return obj.status == nil', true],
  ])('%s', async (text, value) => {
    expect(await returned(text)).toEqual(value)
  })

  test.each([
    ['return obj.status.phase', "health.lua:1: attempt to index field 'status' (a nil value)"],
    ['\nif true then', "health.lua:2: 'end' expected near '<eof>'"],
    ['\n\nerror("no")', 'health.lua:3: no'],
    ['error({})', 'the script raised a table as its error'],
    ['return { f = print }', 'the script returns a function inside of its answer, which is no JSON'],
    ['return { 1, a = 2 }', 'the script returns a table with keys of different types, which is no JSON'],
    ['return { [3] = 1 }', 'the script returns a list with holes in it, which is no JSON'],
    ['return 1 / 0', 'the script returns Infinity, which is no JSON'],
    ['local t = {} t.t = t return t', 'the answer of the script is nested too deeply'],
  ])('%s is told', async (text, message) => {
    await expect(run(text)).rejects.toThrow(message)
  })

  test('leaves nothing behind for the next one', async () => {
    await run('leftover = 1 obj = nil table.insert = nil')
    expect(await returned('return leftover == nil and obj ~= nil and table.insert ~= nil')).toBe(true)
  })
})

describe('libraries', () => {
  test.each(['io', 'debug', 'package', 'dofile', 'loadfile', 'string', 'math', 'os', 'coroutine'])(
    '%s is not there by default',
    async (name) => {
      expect(await returned(`return ${name} == nil`)).toBe(true)
    },
  )

  test('text has no methods by default', async () => {
    await expect(run('return ("x"):upper()')).rejects.toThrow('health.lua:1: attempt to index a string value')
  })

  test.each<[text: string, value: Json]>([
    ['return string.lower("ABC") .. ("x"):upper()', 'abcX'],
    ['return math.max(1, 2)', 2],
    ['return coroutine.wrap(function() return 1 end)()', 1],
    ['return os.getenv == nil and os.execute == nil and os.remove == nil', true],
    ['return io == nil and debug == nil and dofile == nil', true],
    ['return string.dump == nil', true],
    ['return require("string").rep("ab", 2)', 'abab'],
  ])('when they are open: %s', async (text, value) => {
    expect(await returned(text, true)).toEqual(value)
  })

  test('compiled code is refused', async () => {
    expect(await returned('local f, why = loadstring("\\27Lua") return why')).toBe('compiled code is not loaded')
  })

  test.each([
    ['os.time({ year = 2026, month = 2, day = 28, hour = 0 })', Date.UTC(2026, 1, 28) / 1000],
    ['os.time({ year = 1970, month = 1, day = 1, hour = 0, min = 1, sec = 2 })', 62],
    ['os.time({ year = 2000, month = 3, day = 1 })', Date.UTC(2000, 2, 1, 12) / 1000],
    ['os.time({ year = 2025, month = 14, day = 1, hour = 0 })', Date.UTC(2026, 1, 1) / 1000],
    ['os.date("!%Y-%m-%dT%H:%M:%SZ", 86400)', '1970-01-02T00:00:00Z'],
    ['os.date("%Y-%m-%d", 0)', '1970-01-01'],
    ['os.date("*t", 0).hour', 0],
  ])('require("os") has time and date in UTC: %s', async (text, value) => {
    expect(await run(`local os = require("os") return ${text}`)).toEqual({ value, asksTime: false })
  })

  test('the clock is that of the world, and it is told that it was asked', async () => {
    const world = simulatedWorld(1)
    const inWorld = createLua(world)
    const text = 'local os = require("os") return { os.time(), os.date("!%Y") }'
    const asked = world.drive(() => inWorld.run({ text, name: 'health.lua', openLibs: false }, {}))
    expect(await asked).toEqual({ value: [Date.UTC(2026, 0, 1) / 1000, '2026'], asksTime: true })
    await inWorld.close()
  })
})

describe('a hostile script', () => {
  test.each([
    'while true do end',
    'while true do pcall(function() while true do end end) end',
    'local f = function() while true do end end coroutine.wrap(f)()',
    'local function f() return f() end f()',
  ])('does not run for ever: %s', async (text) => {
    const message = expect.stringContaining('takes more than 20 million steps')
    await expect(run(text, true)).rejects.toMatchObject({ reason: 'stopped', message })
    expect(await returned('return 1')).toBe(1)
  })

  test.each([
    'local t = {} for i = 1, 1e9 do t[i] = { i } end',
    'local s = ("x"):rep(1e6) while true do s = s .. s end',
    'return ("x"):rep(1e9)',
  ])('does not take all memory: %s', async (text) => {
    await expect(run(text, true)).rejects.toThrow('not enough memory')
    expect(await returned('return 1')).toBe(1)
  })

  test('in a library function is stopped with its thread', async () => {
    const text = 'return (("a"):rep(30)):find((".-"):rep(30) .. "b")'
    await expect(run(text, true)).rejects.toThrow('Lua was stopped: a script may take 5 s at most')
    expect(await returned('return 1')).toBe(1)
  }, 30_000)

  test('recursion ends in an error with its line', async () => {
    await expect(run('local function f() return 1 + f() end\nreturn f()')).rejects.toThrow(
      'health.lua:1: stack overflow',
    )
  })
})
