// The contract of loops (ARCHITECTURE.md), checked for EVERY loop of a machine with the same story: idempotent, no memory,
// one step and return, honest status, level-triggered, back-off on errors.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiHandler, ApiRequest } from '#api'
import {
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
import { isWrite, recorder, requestFaults, watchFaults } from '../support/faults.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { differences, endState } from './end-state.ts'
import { hurried, isOver, patient, tell } from './scenario.ts'

const seed = 7
/** Every loop of a machine. */
const loops = createMachine({ world: simulatedWorld(seed) }).runtime.loops
const timeoutMs = 120_000

/** The world goes on after the end: back-offs (at most 1,000 s) run out, what is still under way comes to rest. */
async function rest(test: TestMachine): Promise<void> {
  await test.until(() => isOver(test), { limitMs: 1_800_000 })
  await test.world.advance(1_100_000)
}

/** Status that claims to have seen what is not there yet, or less than it had seen before. */
class HonestStatus {
  readonly faults: string[] = []
  readonly #seen = new Map<string, number>()

  readonly wrap =
    (next: ApiHandler): ApiHandler =>
    async (request, signal) => {
      const response = await next(request, signal)
      if (isWrite(request) && response.body.type === 'object') this.#check(response.body.object)
      return response
    }

  #check({ kind, metadata, status }: AnyObject): void {
    const observed = (status as { readonly observedGeneration?: number } | undefined)?.observedGeneration
    if (observed === undefined || metadata?.uid === undefined) return
    const name = `${kind} ${metadata.namespace}/${metadata.name}`
    if (observed > (metadata.generation ?? 0))
      this.faults.push(`${name} observed ${observed}, but is at ${metadata.generation}`)
    const before = this.#seen.get(metadata.uid) ?? 0
    if (observed < before) this.faults.push(`${name} observed ${observed} after ${before}`)
    this.#seen.set(metadata.uid, observed)
  }
}

describe('the story without faults', () => {
  const status = new HonestStatus()
  const written = recorder()
  const test = startMachine({ seed, wrap: (next) => status.wrap(written.wrap(next)) })
  const writesAtRest = (): readonly ApiRequest[] =>
    written.requests.filter(({ caller }) => caller.user !== 'kubernetes-admin')

  beforeAll(async () => {
    await tell(patient(test))
    await rest(test)
    written.requests.length = 0
    test.machine.runtime.resync()
    await test.world.settle()
  }, timeoutMs)
  afterAll(() => test.stop())

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
    expect(status.faults).toEqual([])
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
    const test = startMachine({ seed })
    await tell(patient(test))
    await rest(test)
    expected = await endState(test)
    await test.stop()
  }, timeoutMs)

  it.each(loops.map((loop) => [loop.name]))(
    '%s may be restarted between any two steps',
    async (name) => {
      let test: TestMachine | undefined
      let restarts = 0
      let active = true
      const restarting =
        (next: ApiHandler): ApiHandler =>
        (request, signal) => {
          const response = next(request, signal)
          if (active && test !== undefined && request.caller.user !== 'kubernetes-admin' && chance.next() < 0.1) {
            restarts += 1
            test.machine.runtime.restartLoop(name)
          }
          return response
        }
      const chance = simulatedWorld(`restarts of ${name}`).random
      test = startMachine({ seed, wrap: restarting })
      await tell(patient(test))
      active = false
      await rest(test)
      expect(restarts).toBeGreaterThan(10)
      expect(differences(expected, await endState(test))).toEqual([])
      await test.stop()
    },
    timeoutMs,
  )

  it.each([1, 2, 3])(
    'all loops converge after lost, repeated, late and reordered watch events, and a resync (seed %i)',
    async (faultSeed) => {
      let wrap = (next: ApiHandler): ApiHandler => next
      const test = startMachine({ seed: faultSeed, wrap: (next) => (request, signal) => wrap(next)(request, signal) })
      const fault = watchFaults(test.world, { lose: 0.1, repeat: 0.1, holdBack: 0.1, breakOff: 0.02, delayMs: 200 })
      wrap = fault.wrap
      await tell(hurried(test))
      fault.active = false
      test.machine.runtime.resync()
      await rest(test)
      expect(differences(expected, await endState(test))).toEqual([])
      await test.stop()
    },
    timeoutMs,
  )

  it.each(loops.map((loop) => [loop.name, loop] as const))(
    '%s backs off while its writes fail, and recovers',
    async (name, loop) => {
      const attempts = new Map<string, number[]>()
      let now = (): number => 0
      const fault = requestFaults((request) => {
        if (request.caller.user !== loop.user || !isWrite(request) || request.resource?.resource === 'events')
          return false
        const key = `${request.verb} ${request.namespace}/${request.name}`
        attempts.set(key, [...(attempts.get(key) ?? []), now()])
        return true
      })
      const test = startMachine({ seed, wrap: fault.wrap })
      now = () => test.world.clock.now()
      await tell(hurried(test, 10_000))
      const figures = test.machine.runtime.figures().loops.find((one) => one.name === name)
      // A key that failed n times in a row waited 5 ms · 2^n: a minute and a half holds some fifteen tries of each.
      for (const backoff of figures?.backoff ?? []) expect(backoff.nextTryAt ?? now() + 1).toBeGreaterThan(now())
      for (const [key, times] of attempts)
        expect([key, times.length]).toEqual([key, expect.toSatisfy((n: number) => n < 300)])
      fault.active = false
      await rest(test)
      expect(differences(expected, await endState(test))).toEqual([])
      await test.stop()
    },
    timeoutMs,
  )
})
