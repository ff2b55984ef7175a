// The contract of loops (ARCHITECTURE.md), checked for EVERY loop of a machine with the same story: idempotent, no memory,
// one step and return, honest status, level-triggered, back-off on errors; and every invariant of test/simulation after
// every write, whatever happens.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiHandler, ApiRequest } from '#api'
import {
  CoreV1Event,
  DaemonSet,
  Deployment,
  type Kind,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '#kinds'
import { createMachine } from '#machine'
import type { AnyObject } from '#objects'
import { simulatedWorld } from '#world'
import { Inspection, invariants } from '../simulation/invariants/index.ts'
import { isWrite, recorder, requestFaults, watchFaults } from '../support/faults.ts'
import { startMachine, type TestMachine, type TestMachineOptions } from '../support/machine.ts'
import { Observer } from '../support/observer.ts'
import { differences, endState } from './end-state.ts'
import { hurried, isOver, patient, tell } from './scenario.ts'
import { beside } from './side-crowd.ts'
import { orders, StepTrouble, stepOf } from './step-trouble.ts'

const seed = 7
/** Every loop of a machine. */
const loops = createMachine({ world: simulatedWorld(seed), extraLoops: beside }).runtime.loops
const timeoutMs = 120_000
/**
 * What is created and the story cannot be told without: nodes, the account of the pods that it makes. Where a loop may write
 * nothing, these fail so many times like everything else, and then are made.
 */
const triesOfNeeded = 8
const neededSteps: Readonly<Record<string, string>> = {
  'kubelet-node': 'create nodes /node-0',
  serviceaccount: 'create serviceaccounts shop/default',
}
const isNeededByStory = ({ verb, resource, namespace }: ApiRequest): boolean =>
  verb === 'create' &&
  (resource?.resource === 'nodes' || (resource?.resource === 'serviceaccounts' && namespace === 'shop'))

/** Loops that have nothing to write, and why. */
const silent: Readonly<Record<string, string>> = {
  proxy: 'keeps its tables in memory, for `route` and for Probes',
  volumeexpand: 'tells Events only',
  legacytokencleaner: 'marks tokens that nobody has used for a year',
  csrcleaner: 'takes requests away an hour after their certificate was issued, when the story is over',
}

interface Scene {
  readonly test: TestMachine
  readonly observer: Observer
  readonly inspection: Inspection
}

/** A machine whose every write is looked at. */
function open(options: TestMachineOptions = {}, trouble: (next: ApiHandler) => ApiHandler = (next) => next): Scene {
  const observer = new Observer()
  const test = startMachine({
    seed,
    extraLoops: beside,
    ...observer.options,
    ...options,
    wrap: (next) => trouble(observer.wrap(next)),
  })
  const inspection = new Inspection(observer, invariants, () => test.world.clock.now())
  return { test, observer, inspection }
}

/** The world goes on after the end: back-offs (at most 1,000 s) run out, what is still under way comes to rest. */
async function rest(test: TestMachine): Promise<void> {
  await test.until(() => isOver(test), { limitMs: 1_800_000, everyMs: 1000 })
  await test.world.advance(1_100_000)
}

/** The end is as it should be, and no invariant was broken on the way. */
async function close({ test, inspection }: Scene, expected: readonly string[]): Promise<void> {
  inspection.atEnd()
  expect(inspection.violations).toEqual([])
  expect(differences(expected, await endState(test))).toEqual([])
  await test.stop()
}

describe('the story without faults', () => {
  const written = recorder()
  const scene = open({}, written.wrap)
  const { test, observer, inspection } = scene
  const worked = new Map<string, number>()
  observer.join({
    wrote: ({ by }) => {
      if (by !== undefined) worked.set(by.loop, (worked.get(by.loop) ?? 0) + 1)
    },
  })
  const writesAtRest = (): readonly ApiRequest[] =>
    written.requests.filter(({ caller }) => caller.user !== 'kubernetes-admin')

  beforeAll(async () => {
    await tell(patient(test))
    await rest(test)
    inspection.atEnd()
    written.requests.length = 0
    test.machine.runtime.resync()
    await test.world.settle()
  }, timeoutMs)
  afterAll(() => test.stop())

  it.each(loops.map((loop) => [loop.name]))('%s has work to do', (name) => {
    const isSilent = silent[name] !== undefined
    expect([name, isSilent || (worked.get(name) ?? 0) > 0]).toEqual([name, true])
    // Whoever begins to write is no longer excused.
    if (isSilent) expect(worked.get(name) ?? 0).toBe(0)
  })

  it('loops that tell Events only have told some', async () => {
    const events = (await test.client.list(CoreV1Event)).items
    expect(events.map(({ source }) => source?.component)).toContain('volume_expand')
  })

  it('keeps every invariant after every write', () => {
    expect(inspection.violations).toEqual([])
  })

  it.each(loops.map((loop) => [loop.name, loop] as const))('%s writes nothing to an unchanged world', (_name, loop) => {
    const own = writesAtRest().filter(({ caller }) => caller.user === loop.user)
    expect(
      own.map(({ verb, resource, namespace, name }) => `${verb} ${resource?.resource} ${namespace}/${name}`),
    ).toEqual([])
  })

  it.each(loops.map((loop) => [loop.name]))('%s takes one step and returns: it never waits', (name) => {
    const figures = test.machine.runtime.figures().loops.find((loop) => loop.name === name)
    expect(figures?.reconciles).toBeGreaterThan(0)
    expect(figures?.longestMs).toBe(0)
  })

  it.each(loops.map((loop) => [loop.name]))('%s has nothing left to do', (name) => {
    const figures = test.machine.runtime.figures().loops.find((loop) => loop.name === name)
    expect(figures).toMatchObject({ synced: true, queueDepth: 0, working: [], held: 0, backoff: [] })
  })

  it('every status reports what was observed, no more and no less', async () => {
    const behind: string[] = []
    for (const kind of [
      Deployment,
      ReplicaSet,
      ReplicationController,
      StatefulSet,
      DaemonSet,
      Pod,
      PodDisruptionBudget,
    ]) {
      const { items } = await test.client.list(kind as unknown as Kind<AnyObject>)
      for (const { metadata, status: told } of items) {
        const { observedGeneration } = (told ?? {}) as { readonly observedGeneration?: number }
        if (observedGeneration !== metadata.generation)
          behind.push(`${kind.kind} ${metadata.name}: ${observedGeneration}`)
      }
    }
    expect(behind).toEqual([])
  })
})

describe('whatever happens on the way, the end is the same', () => {
  let expected: readonly string[] = []

  beforeAll(async () => {
    const { test } = open()
    await tell(patient(test))
    await rest(test)
    expected = await endState(test)
    await test.stop()
  }, timeoutMs)

  it.each(loops.flatMap(({ name }) => orders.map((order) => [name, order] as const)))(
    '%s may meet at every step that it %j',
    async (loop, order) => {
      let trouble: StepTrouble | undefined
      const scene = open({}, (next) => (request, signal) => (trouble?.wrap(next) ?? next)(request, signal))
      const { observer } = scene
      trouble = new StepTrouble({ loop, order, observer, machine: () => scene.test.machine })
      await tell(patient(scene.test))
      trouble.active = false
      await rest(scene.test)
      expect([loop, trouble.met.size > 0]).toEqual([loop, silent[loop] === undefined])
      expect([loop, trouble.missed]).toEqual([loop, []])
      await close(scene, expected)
    },
    timeoutMs,
  )

  it.each([
    ['the API server', (test: TestMachine) => test.machine.restartServer()],
    ['the whole machine', (test: TestMachine) => test.machine.restart()],
  ] as const)(
    '%s may die at every kind of step',
    async (_name, die) => {
      const seen = new Set<string>()
      const scene = open({}, (next) => async (request, signal) => {
        const step = `${scene.observer.reconcile?.loop} ${request.verb} ${request.resource?.resource} ${request.subresource}`
        const isFirst = isWrite(request) && request.caller.user !== 'kubernetes-admin' && !seen.has(step)
        if (!isFirst) return next(request, signal)
        seen.add(step)
        const response = await next(request, signal)
        die(scene.test)
        return response
      })
      await tell(patient(scene.test))
      await rest(scene.test)
      expect(seen.size).toBeGreaterThan(loops.length)
      await close(scene, expected)
    },
    timeoutMs,
  )

  it.each([1, 2, 3])(
    'all loops converge after lost, repeated, late and reordered watch events, and a resync (seed %i)',
    async (faultSeed) => {
      let wrap = (next: ApiHandler): ApiHandler => next
      const scene = open({ seed: faultSeed }, (next) => (request, signal) => wrap(next)(request, signal))
      const { test } = scene
      const fault = watchFaults(test.world, { lose: 0.1, repeat: 0.1, holdBack: 0.1, breakOff: 0.02, delayMs: 200 })
      wrap = fault.wrap
      await tell(hurried(test))
      fault.active = false
      test.machine.runtime.resync()
      await rest(test)
      await close(scene, expected)
    },
    timeoutMs,
  )

  it.each(loops.map((loop) => [loop.name]))(
    '%s backs off while its writes fail, and recovers',
    async (name) => {
      const attempts = new Map<string, number[]>()
      const fault = requestFaults((request) => {
        if (scene.observer.reconcile?.loop !== name || !isWrite(request)) return false
        const { step } = stepOf(request)
        const before = attempts.get(step) ?? []
        if (isNeededByStory(request) && before.length >= triesOfNeeded) return false
        attempts.set(step, [...before, scene.test.world.clock.now()])
        return true
      })
      const scene = open({}, fault.wrap)
      const { test } = scene
      const now = (): number => test.world.clock.now()
      await tell(hurried(test, 10_000))
      const figures = test.machine.runtime.figures().loops.find((one) => one.name === name)
      // A key that failed n times in a row waited 5 ms · 2^n: a minute and a half holds some fifteen tries of each.
      for (const backoff of figures?.backoff ?? []) expect(backoff.nextTryAt ?? now() + 1).toBeGreaterThan(now())
      const needed = neededSteps[name]
      if (needed !== undefined) expect([needed, attempts.get(needed)?.length]).toEqual([needed, triesOfNeeded])
      for (const [key, times] of attempts)
        expect([key, times.length]).toEqual([key, expect.toSatisfy((n: number) => n < 100)])
      fault.active = false
      await rest(test)
      await close(scene, expected)
    },
    timeoutMs,
  )
})
