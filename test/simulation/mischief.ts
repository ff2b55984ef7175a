// What goes wrong in one run of the story: drawn from its seed. Every kind of trouble is active in some runs only, so that
// runs differ in what they explore. When the trouble is over, the end must be the one of a run without any.

import type { ApiHandler, ApiRequest } from '#api'
import { type Random, simulatedWorld } from '#world'
import { endState } from '../contract/end-state.ts'
import { hurried, isOver, patient, tell } from '../contract/scenario.ts'
import { isWrite, requestFaults, watchFaults } from '../support/faults.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'

export interface RunResult {
  readonly seed: string
  readonly trouble: readonly string[]
  readonly hash: string
  readonly tasks: number
  readonly virtualMs: number
  readonly end: readonly string[]
}

/** Back-offs run out within 1,000 s. */
const restMs = 1_100_000

/** The story without trouble. */
export async function quietRun(seed: string | number): Promise<RunResult> {
  const test = startMachine({ seed })
  await tell(patient(test))
  return finish(test, [])
}

/** The story with whatever trouble the seed brings; `look` gets hold of its machine, to see why a run fails. */
export async function troubledRun(seed: string | number, look?: (test: TestMachine) => void): Promise<RunResult> {
  const random = simulatedWorld(seed).random.fork('trouble')
  const trouble: string[] = []
  const active = (name: string): boolean => {
    const hit = random.next() < 0.4
    if (hit) trouble.push(name)
    return hit
  }
  const wraps: ((next: ApiHandler) => ApiHandler)[] = []
  const test = startMachine({
    seed,
    wrap: (next) => (request, signal) => wraps.reduce((inner, wrap) => wrap(inner), next)(request, signal),
  })
  look?.(test)
  const stops: (() => void)[] = []
  if (active('watches')) {
    const fault = watchFaults(test.world, watchShares(random))
    wraps.push(fault.wrap)
    stops.push(() => {
      fault.active = false
    })
  }
  if (active('failing writes')) {
    const share = random.next() * 0.3
    const fault = requestFaults((request) => isLoop(request) && isWrite(request) && random.next() < share)
    wraps.push(fault.wrap)
    stops.push(() => {
      fault.active = false
    })
  }
  if (active('restarts')) stops.push(restarts(test, random, (wrap) => wraps.push(wrap)))
  await tell(hurried(test, 5000 + random.int(20_000)))
  for (const stop of stops) stop()
  test.machine.runtime.resync()
  return finish(test, trouble)
}

const isLoop = ({ caller }: ApiRequest): boolean => caller.user !== 'kubernetes-admin'

const watchShares = (random: Random) => ({
  lose: random.next() * 0.2,
  repeat: random.next() * 0.2,
  holdBack: random.next() * 0.2,
  breakOff: random.next() * 0.05,
  delayMs: 1 + random.int(500),
})

/** Restarts any loop at any request, now and then; answers how to end that. */
function restarts(
  test: TestMachine,
  random: Random,
  add: (wrap: (next: ApiHandler) => ApiHandler) => void,
): () => void {
  let active = true
  const names = test.machine.runtime.loops.map((loop) => loop.name)
  const share = random.next() * 0.05
  add((next) => (request, signal) => {
    const response = next(request, signal)
    if (active && isLoop(request) && random.next() < share) {
      test.machine.runtime.restartLoop(names[random.int(names.length)] ?? '')
    }
    return response
  })
  return () => {
    active = false
  }
}

async function finish(test: TestMachine, trouble: readonly string[]): Promise<RunResult> {
  const { world } = test
  const startedAt = world.clock.now()
  await test.until(() => isOver(test), { limitMs: 3_600_000 })
  await world.advance(restMs)
  const result = {
    seed: world.seed,
    trouble,
    hash: world.traceHash(),
    tasks: world.tasks,
    virtualMs: world.clock.now() - startedAt,
    end: await endState(test),
  }
  await test.stop()
  return result
}
