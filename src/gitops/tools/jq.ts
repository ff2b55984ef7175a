// jq, as WebAssembly in a thread of its own: an expression that does not end is stopped with its thread after a second, and
// neither sees anything but the document that it is given.

import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Json } from '#objects'
import type { World } from '#world'
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

interface Answer {
  readonly output?: string
  readonly fault?: string
}

/** Argo CD's limit for one expression; the first one also waits for the thread to start. */
const limitMs = 1000
const startMs = 10_000

export function createJq(world: World): Jq {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  const start = (): Worker => {
    const module = createRequire(import.meta.url).resolve('jq-wasm')
    // Not of the repository: the source above. No environment, no arguments of this process.
    const made = new Worker(threadSource, { eval: true, workerData: module, env: {}, argv: [], stdin: false })
    made.unref()
    return made
  }

  const ask = async (document: string, filter: string): Promise<string> => {
    const isNew = thread === undefined
    const worker = thread ?? start()
    thread = worker
    const stop = (): void => {
      thread = undefined
      void worker.terminate()
    }
    const answer = await answerOf(worker, { document, filter }, isNew ? startMs : limitMs).catch((error: unknown) => {
      stop()
      throw error
    })
    if (answer.output !== undefined) return answer.output
    throw new ToolFault('refused', (answer.fault ?? '').replace(/^Failed to execute raw query: /, '').trim())
  }

  return {
    paths: (document, expression) =>
      world.clock.outside('jq', async () => {
        // One at a time: a thread that is stopped takes nobody else's question along.
        const next = last.catch(() => undefined).then(() => ask(JSON.stringify(document), `[path(${expression})]`))
        last = next
        return JSON.parse(await next) as JqPath[]
      }),
    async close() {
      await thread?.terminate()
      thread = undefined
    },
  }
}

function answerOf(worker: Worker, question: object, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const late = AbortSignal.timeout(timeoutMs)
    const end = (): void => {
      worker.off('message', take)
      worker.off('error', fail)
      late.removeEventListener('abort', expire)
    }
    const take = (answer: Answer): void => {
      end()
      resolve(answer)
    }
    const fail = (error: Error): void => {
      end()
      reject(new ToolFault('stopped', `jq failed: ${error.message}`))
    }
    const expire = (): void => {
      end()
      reject(new ToolFault('stopped', `jq was stopped: an expression may take ${limitMs / 1000} s at most`))
    }
    worker.once('message', take)
    worker.once('error', fail)
    late.addEventListener('abort', expire)
    worker.postMessage(question)
  })
}
