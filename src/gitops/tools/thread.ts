// A thread of its own for one program that runs what users wrote. It answers one question at a time; one that takes too long
// is stopped with its thread, and the next question starts a new one. It sees no environment and no arguments.

import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { ToolFault } from './tool-fault.ts'

export interface ThreadOptions {
  /** Of the program, for messages. */
  readonly name: string
  /** What it is asked for, for messages: `an expression`. */
  readonly asked: string
  /** CommonJS; `workerData` is the path of the module. Answers every message with what was asked for, or with a Fault. */
  readonly source: string
  /** The package that the source requires, or the path of a file. */
  readonly module: string
  readonly limitMs: number
  /** Of the thread as a whole; a program that has none of its own is ended with its thread above it. */
  readonly memory?: { readonly heapMiB: number; readonly stackMiB: number }
  /** Of Node, where the module needs some. */
  readonly arguments?: readonly string[]
}

/** Why there is no answer; `stopped` where the program ended it at a limit of its own. */
interface Fault {
  readonly fault: string
  readonly stopped?: boolean
}

/** The first question also waits for the thread to start. */
const startMs = 10_000

export interface Thread<Answer> {
  /** Throws ToolFault: what the program says of the question, or that it took too long. */
  ask(question: object): Promise<Answer>
  close(): Promise<void>
}

export function createThread<Answer extends object>(options: ThreadOptions): Thread<Answer> {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  const start = (): Worker => {
    const { memory } = options
    const made = new Worker(options.source, {
      eval: true,
      workerData: createRequire(import.meta.url).resolve(options.module),
      env: {},
      argv: [],
      stdin: false,
      ...(options.arguments === undefined ? {} : { execArgv: [...options.arguments] }),
      ...(memory === undefined
        ? {}
        : { resourceLimits: { maxOldGenerationSizeMb: memory.heapMiB, stackSizeMb: memory.stackMiB } }),
    })
    made.unref()
    // One that is stopped may still fail on its way out, when nobody waits for it any more.
    made.on('error', () => undefined)
    return made
  }

  const ask = async (question: object): Promise<Answer> => {
    const isNew = thread === undefined
    const worker = thread ?? start()
    thread = worker
    const waitMs = isNew ? startMs + options.limitMs : options.limitMs
    const answer = await answerOf<Answer | Fault>(worker, { question, waitMs, options }).catch((error: unknown) => {
      thread = undefined
      void worker.terminate()
      throw error
    })
    if (!('fault' in answer)) return answer
    throw new ToolFault(answer.stopped === true ? 'stopped' : 'refused', answer.fault)
  }

  return {
    ask(question) {
      // One at a time: a thread that is stopped takes nobody else's question along.
      const next = last.catch(() => undefined).then(() => ask(question))
      last = next
      return next
    },
    async close() {
      await thread?.terminate()
      thread = undefined
    },
  }
}

interface Asking {
  readonly question: object
  readonly waitMs: number
  readonly options: ThreadOptions
}

function answerOf<Answer>(worker: Worker, { question, waitMs, options }: Asking): Promise<Answer> {
  const { name, asked, limitMs } = options
  return new Promise((resolve, reject) => {
    const late = AbortSignal.timeout(waitMs)
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
      reject(
        isOutOfMemory(error) ? tooMuchMemory(options) : new ToolFault('stopped', `${name} failed: ${error.message}`),
      )
    }
    const expire = (): void => {
      end()
      reject(new ToolFault('stopped', `${name} was stopped: ${asked} may take ${limitMs / 1000} s at most`))
    }
    worker.once('message', take)
    worker.once('error', fail)
    late.addEventListener('abort', expire)
    worker.postMessage(question)
  })
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

/** It would take as much again. */
const tooMuchMemory = ({ name, asked, memory }: ThreadOptions): ToolFault =>
  new ToolFault('refused', `${name} was stopped: ${asked} may take ${memory?.heapMiB} MiB of memory at most`)
