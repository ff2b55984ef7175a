// jq, as WebAssembly in a thread of its own: an expression that does not end is stopped with its thread after a second, and
// neither sees anything but the document that it is given.

import type { Json } from '#objects'
import type { World } from '#world'
import { createThread } from './thread.ts'
import { ToolFault } from './tool-fault.ts'

/** Steps from the root of a document to a value. */
export type JqPath = readonly (string | number)[]

export interface Jq {
  /** Paths of the values that an expression means. Throws ToolFault: what the expression is told, or that it takes too long. */
  paths(document: Json, expression: string): Promise<readonly JqPath[]>
  close(): Promise<void>
}

const threadSource = `
const { parentPort, workerData } = require('node:worker_threads')
const jq = require(workerData)
parentPort.on('message', async ({ document, filter }) => {
  try {
    parentPort.postMessage({ output: await jq.raw(document, filter, ['-c']) })
  } catch (error) {
    parentPort.postMessage({ fault: String(error && error.message) })
  }
})
`

/** Argo CD's limit for one expression. */
const limitMs = 1000

export function createJq(world: World): Jq {
  const thread = createThread<{ readonly output: string }>({
    name: 'jq',
    asked: 'an expression',
    source: threadSource,
    module: 'jq-wasm',
    limitMs,
  })
  return {
    paths: (document, expression) =>
      world.clock.outside('jq', async () => {
        const filter = `[path(${expression})]`
        const { output } = await thread.ask({ document: JSON.stringify(document), filter }).catch(reworded)
        return JSON.parse(output) as JqPath[]
      }),
    close: () => thread.close(),
  }
}

function reworded(error: unknown): never {
  if (!(error instanceof ToolFault) || error.reason !== 'refused') throw error
  throw new ToolFault('refused', error.message.replace(/^Failed to execute raw query: /, '').trim())
}
