// One run under one seed: a machine that is observed, a tale (the story of test/contract, or a play), the mischief that the
// seed brings, and every invariant after every write. When the trouble is over, the end must be the one of a run without any.

import { simulatedWorld } from '#world'
import { endState } from '../contract/end-state.ts'
import { hurried, isOver, patient, tell } from '../contract/scenario.ts'
import { beside } from '../contract/side-crowd.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { Observer, type Write } from '../support/observer.ts'
import { Inspection, invariants, type Violation } from './invariants/index.ts'
import { type Deed, Mischief } from './mischief.ts'
import { begin, end, runErrands } from './play.ts'

export type Tale = 'story' | 'play'

export interface LoggedWrite extends Write {
  readonly at: number
}

export interface RunResult {
  readonly seed: string
  readonly tale: Tale
  readonly kinds: readonly string[]
  readonly deeds: readonly Deed[]
  readonly violations: readonly Violation[]
  /** Why it did not come to its end. */
  readonly error: string | undefined
  readonly writes: readonly LoggedWrite[]
  readonly hash: string
  readonly tasks: number
  readonly virtualMs: number
  readonly end: readonly string[]
}

export interface RunOptions {
  readonly tale?: Tale
  /** Leaves out all trouble. */
  readonly quiet?: boolean
  /** Leaves out all deeds but these. */
  readonly only?: ReadonlySet<string>
  /** Gets hold of the machine before it starts to work. */
  readonly look?: (test: TestMachine) => void
}

/** Longer than any back-off. */
const longestRestMs = 1_100_000
const restStepMs = 30_000
/** Longer than pods are given to end. */
const graceMs = 60_000

export const taleOf = (seed: string | number): Tale =>
  simulatedWorld(seed).random.fork('tale').int(3) === 0 ? 'story' : 'play'

export async function run(seed: string | number, options: RunOptions = {}): Promise<RunResult> {
  const { tale = taleOf(seed), quiet = false, only } = options
  const observer = new Observer()
  const writes: LoggedWrite[] = []
  let mischief: Mischief | undefined
  const test = startMachine({
    seed,
    extraLoops: beside,
    store: observer.store,
    around: observer.around,
    wrap: (next) => {
      const inner = observer.wrap(next)
      let wrapped = inner
      return (request, signal) => {
        if (mischief !== undefined && wrapped === inner) wrapped = mischief.wrap(observer, () => test.machine)(inner)
        return wrapped(request, signal)
      }
    },
  })
  const now = (): number => test.world.clock.now()
  observer.join({ wrote: (write) => void writes.push({ ...write, at: now() }) })
  const inspection = new Inspection(observer, invariants, now)
  const trouble = new Mischief(test.world, seed, only)
  trouble.active = !quiet
  mischief = trouble
  options.look?.(test)
  const startedAt = now()
  let error: string | undefined
  try {
    await (tale === 'story'
      ? tellStory(test, trouble)
      : performPlay(test, trouble, () => inspection.violations.length > 0))
    if (inspection.violations.length === 0) {
      await rest(test)
      inspection.atEnd()
    }
  } catch (failure) {
    error = failure instanceof Error ? failure.message : String(failure)
  }
  const state = error === undefined ? await endState(test, 'forgotten') : []
  // A world that does not come to rest cannot be stopped in good order either.
  await test.stop().catch((failure: unknown) => {
    error ??= failure instanceof Error ? failure.message : String(failure)
  })
  return {
    seed: String(seed),
    tale,
    kinds: quiet ? [] : trouble.kinds,
    deeds: trouble.deeds,
    violations: inspection.violations,
    error,
    writes,
    hash: test.world.traceHash(),
    tasks: test.world.tasks,
    virtualMs: now() - startedAt,
    end: state,
  }
}

async function tellStory(test: TestMachine, mischief: Mischief): Promise<void> {
  const random = simulatedWorld(test.world.seed).random.fork('story')
  await tell(mischief.active ? hurried(test, 5000 + random.int(20_000)) : patient(test))
  mischief.active = false
  test.machine.runtime.resync()
  await test.until(() => isOver(test), { limitMs: 3_600_000 })
}

async function performPlay(test: TestMachine, mischief: Mischief, isBroken: () => boolean): Promise<void> {
  const random = simulatedWorld(test.world.seed).random.fork('play')
  await begin(test)
  if (mischief.active) await runErrands(test, random, mischief, isBroken)
  mischief.active = false
  if (isBroken()) return
  test.machine.runtime.resync()
  await end(test)
}

/** Until nothing is queued, held back or backing off any more, and pods that were told to end late have ended. */
async function rest(test: TestMachine): Promise<void> {
  await test.world.advance(graceMs)
  for (let restedMs = 0; restedMs < longestRestMs; restedMs += restStepMs) {
    await test.world.advance(restStepMs)
    const { loops } = test.machine.runtime.figures()
    if (loops.every(({ backoff, queueDepth, held }) => backoff.length + queueDepth + held === 0)) return
  }
}
