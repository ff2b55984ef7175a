import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { readCustomizations } from '#gitops/customizations'
import { createLua, type Lua } from '#gitops/tools'
import type { AnyObject } from '#objects'
import { simulatedWorld } from '#world'
import type { Verdict } from '../verdict.ts'
import { createHealth } from './health.ts'

const world = simulatedWorld(1)
const lua = createLua(world)
afterAll(() => lua.close())

let runs = 0
afterEach(() => {
  runs = 0
})
const counting: Lua = {
  ...lua,
  run(...asked) {
    runs += 1
    return lua.run(...asked)
  },
}

const health = createHealth(world, counting)
const key = 'resource.customizations.health.example.io_Widget'
const script = (text: string, more = {}) => readCustomizations({ [key]: text, ...more })
const widget = (more: object = {}): AnyObject => ({
  apiVersion: 'example.io/v1',
  kind: 'Widget',
  metadata: { name: 'w', generation: 2 },
  ...more,
})
const of = (object: AnyObject, customizations: ReturnType<typeof script>): Promise<Verdict | undefined> =>
  world.drive(async () => health.of(object, customizations))

describe("a user's script", () => {
  test.each([
    ['return { status = "Healthy" }', { status: 'Healthy' }],
    ['return { status = "Degraded", message = obj.metadata.name }', { status: 'Degraded', message: 'w' }],
    ['return { status = "Suspended", message = "" }', { status: 'Suspended' }],
    ['return nil', undefined],
    ['return {}', undefined],
  ])('%s', async (text, expected) => {
    const verdict = await of(widget(), script(text))
    if (expected === undefined) expect(verdict).toBeUndefined()
    else
      expect(verdict).toEqual({
        ...expected,
        proof: { field: key, rule: "the user's own rule in argocd-cm" },
      })
  })

  test.each([
    ['return { status = obj.status.phase }', "health.lua:1: attempt to index field 'status' (a nil value)"],
    ['return "Healthy"', 'expect table output from Lua script, not string'],
    ['return { status = "Fine" }', 'Lua returned an invalid health status: Fine'],
    ['return { message = "x" }', 'Lua returned an invalid health status'],
    ['return { status = "Healthy", message = 3 }', 'the message that the script returns must be a string, not number'],
  ])('that fails makes the health Unknown and names key and line: %s', async (text, message) => {
    const told = `argocd-cm ${key}: ${message}`
    expect(await of(widget(), script(text))).toMatchObject({ status: 'Unknown', message: told, fault: told })
  })

  test('comes before the rule of a kind that has one', async () => {
    const pod: AnyObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase: 'Pending' } }
    const own = readCustomizations({ 'resource.customizations.health.Pod': 'return { status = "Healthy" }' })
    expect(await of(pod, own)).toMatchObject({ status: 'Healthy' })
    expect(await of(pod, script('error("of another kind")'))).toMatchObject({ status: 'Progressing' })
  })

  test('is not asked about what is being deleted, but for a hook whose result is not recorded', async () => {
    const metadata = { name: 'w', deletionTimestamp: '2026-01-01T00:00:00Z' }
    const own = script('return { status = "Healthy" }')
    expect(await of(widget({ metadata }), own)).toMatchObject({ status: 'Progressing', message: 'Pending deletion' })
    const hook = { ...metadata, finalizers: ['argocd.argoproj.io/hook-finalizer'] }
    expect(await of(widget({ metadata: hook }), own)).toMatchObject({ status: 'Healthy' })
  })
})

describe('a script is run', () => {
  test('once for an object, whoever asks', async () => {
    const object = widget()
    const own = script('return { status = "Healthy" }')
    await world.drive(async () => Promise.all([health.of(object, own), health.of(object, own)]))
    expect(health.of(object, own)).toMatchObject({ status: 'Healthy' })
    expect(runs).toBe(1)
  })

  test('again when the object or the script has changed, not when another key has', async () => {
    const object = widget()
    await of(object, script('return { status = "Healthy", message = "a" }'))
    await of(object, script('return { status = "Healthy", message = "a" }', { 'admin.enabled': 'false' }))
    expect(runs).toBe(1)
    await of({ ...object }, script('return { status = "Healthy", message = "a" }'))
    expect(runs).toBe(2)
    await of(object, script('return { status = "Healthy", message = "b" }'))
    expect(runs).toBe(3)
  })

  test('again after a minute when it asked what time it is', async () => {
    const object = widget()
    const own = script('return { status = "Healthy", message = tostring(require("os").time()) }')
    const first = await of(object, own)
    expect(first?.until).toBe(world.clock.now() + 60_000)
    expect(await of(object, own)).toEqual(first)
    await world.advance(60_000)
    expect((await of(object, own))?.message).not.toBe(first?.message)
    expect(runs).toBe(2)
  })

  test('not for other objects when it had to be stopped', async () => {
    const own = script('while true do end')
    const verdict = await of(widget(), own)
    expect(verdict?.fault).toBe(
      `argocd-cm ${key}: health.lua:1: takes more than 20 million steps; it is left alone for 5 minutes`,
    )
    expect(health.of(widget(), own)).toEqual(verdict)
    expect(runs).toBe(1)
  })

  test('not for those that were asked about before it was stopped either, until a while has passed', async () => {
    const own = script('while true do end -- again')
    const asked = await world.drive(async () => Promise.all([1, 2, 3].map(() => health.of(widget(), own))))
    expect(asked.map((verdict) => verdict?.status)).toEqual(['Unknown', 'Unknown', 'Unknown'])
    expect(runs).toBe(1)
    await world.advance(5 * 60_000)
    await of(widget(), own)
    expect(runs).toBe(2)
  })
})
