// Lua 5.1 for users' scripts, in a thread of its own: the dialect that Argo CD runs. A script sees the object that it is
// given and the libraries of `prelude.ts`; it is ended after a number of steps (the same on every machine), at a limit of
// memory, and, should a library function not come back, after some seconds of time with its thread.

import type { Json } from '#objects'
import type { World } from '#world'
import { createThread } from '../thread.ts'
import { threadSource } from './thread-source.ts'

export interface LuaScript {
  readonly text: string
  /** Stands before the line in messages: `health.lua`. */
  readonly name: string
  /** `string`, `math` and `coroutine` are there too. */
  readonly openLibs: boolean
}

export interface LuaAnswer {
  /** What the script returns; null for nothing. */
  readonly value: Json
  /** It asked what time it is: the answer holds for that time. */
  readonly asksTime: boolean
}

export interface Lua {
  /** `obj` and `actionParams` are the script's globals. Throws ToolFault: the script's error with its line, or that it was stopped. */
  run(script: LuaScript, obj: Json, actionParams?: Readonly<Record<string, string>>): Promise<LuaAnswer>
  close(): Promise<void>
}

/** About as much as Argo CD's interpreter does in the second that it allows. */
const steps = 20_000_000
const bytes = 64 * 1024 * 1024
const limitMs = 5_000

export function createLua(world: World): Lua {
  const thread = createThread<{ readonly value: string; readonly asksTime: boolean }>({
    name: 'Lua',
    asked: 'a script',
    source: threadSource({ steps, bytes }),
    module: 'wasmoon-lua5.1',
    limitMs,
  })
  return {
    run: ({ text, name, openLibs }, obj, actionParams = {}) =>
      world.clock.outside('lua', async () => {
        const { value, asksTime } = await thread.ask({
          script: text,
          name,
          object: JSON.stringify(obj),
          parameters: actionParams,
          isOpen: openLibs,
          now: Math.floor(world.clock.now() / 1000),
        })
        return { value: JSON.parse(value) as Json, asksTime }
      }),
    close: () => thread.close(),
  }
}
