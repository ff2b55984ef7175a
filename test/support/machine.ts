// A machine in virtual time for tests, with waits that are conditions: no test sleeps.

import { isNotFound } from '#api'
import type { Client, ObjectRef } from '#client'
import type { Kind } from '#kinds'
import { createMachine, type Machine, type MachineOptions } from '#machine'
import type { KubeObject } from '#objects'
import { type RunOptions, type SimulatedWorld, type SimulatedWorldOptions, simulatedWorld } from '#world'

export interface TestMachineOptions extends Omit<MachineOptions, 'world'> {
  readonly seed?: string | number
  readonly simulation?: SimulatedWorldOptions
}

export interface UntilOptions extends RunOptions {
  /** How often it looks; default 50 ms. */
  readonly everyMs?: number
}

export interface TestMachine {
  readonly world: SimulatedWorld
  readonly machine: Machine
  readonly client: Client
  /** Runs the world until the condition holds; throws after `limitMs` of virtual time (default 5 minutes). */
  until(condition: () => boolean | Promise<boolean>, options?: UntilOptions): Promise<void>
  /** The object, or undefined when there is none. */
  find<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<T | undefined>
  stop(): Promise<void>
}

/** Tests are small: more than this at one instant is a loop that wakes itself. */
const mostTasksPerInstant = 100_000
/** How often an `until` looks. */
const lookEveryMs = 50

/** Makes and starts a machine; seeded by `seed` (default 1). */
export function startMachine(options: TestMachineOptions = {}): TestMachine {
  const { seed = 1, simulation, ...rest } = options
  const world = simulatedWorld(seed, { tasksPerInstant: mostTasksPerInstant, ...simulation })
  const machine = createMachine({ world, ...rest })
  const client = machine.client()
  machine.start()
  return {
    world,
    machine,
    client,
    async until(condition, { limitMs = 300_000, everyMs = lookEveryMs } = {}) {
      const limitAt = world.clock.now() + limitMs
      for (await world.settle(); !(await condition()); await world.advance(everyMs)) {
        if (world.clock.now() < limitAt) continue
        throw new Error(`not within ${limitMs / 1000} s of virtual time (seed ${world.seed}): ${condition}`)
      }
    },
    async find(kind, ref) {
      try {
        return await client.get(kind, ref)
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    },
    stop: () => world.drive(() => machine.stop()),
  }
}
