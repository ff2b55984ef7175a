// A run is decided by its seed: the same seed gives the same trace, byte for byte, another seed another interleaving, and
// every interleaving ends in the same state.

import { describe, expect, it } from 'vitest'
import { differences, endState } from '../contract/end-state.ts'
import { isOver, patient, tell } from '../contract/scenario.ts'
import { beside } from '../contract/side-crowd.ts'
import { startMachine } from '../support/machine.ts'

interface Run {
  readonly hash: string
  readonly tasks: number
  readonly revision: number
  readonly end: readonly string[]
}

async function run(seed: number): Promise<Run> {
  const test = startMachine({ seed, extraLoops: beside })
  await tell(patient(test))
  await test.until(() => isOver(test))
  await test.world.advance(600_000)
  const { world, machine } = test
  const result = {
    hash: world.traceHash(),
    tasks: world.tasks,
    revision: machine.store.revision,
    end: await endState(test),
  }
  await test.stop()
  return result
}

describe('a seed', () => {
  it('repeats its run exactly', async () => {
    const first = await run(11)
    expect(await run(11)).toEqual(first)
  }, 120_000)

  it('explores another interleaving than the next one, to the same end', async () => {
    const [one, other] = [await run(12), await run(13)]
    expect(other.hash).not.toBe(one.hash)
    expect(differences(one.end, other.end)).toEqual([])
  }, 120_000)
})
