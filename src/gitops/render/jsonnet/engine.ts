// Jsonnet in a thread of its own: a program that does not end, or that takes all memory, is stopped without keeping anybody
// waiting. Our own evaluator ends after a number of steps, the same on every machine; the thread's limits are behind that.

import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Import } from '#gitops/jsonnet'
import { createThread } from '#gitops/tools'
import type { World } from '#world'
import type { Answer, Fault, ProgramFiles, ProgramText, Question } from './question.ts'

export interface Jsonnet {
  /** What each of the files imports. Throws ToolFault. */
  imports(texts: readonly ProgramText[]): Promise<readonly (readonly Import[])[]>
  /** Documents as JSON, or what is wrong with the program. Throws ToolFault where it was stopped. */
  evaluate(program: ProgramFiles): Promise<readonly string[] | Fault>
}

const limitMs = 30_000
const memory = { heapMiB: 384, stackMiB: 64 }

const threadSource = (before: string): string => `
const { parentPort, workerData } = require('node:worker_threads')
const { pathToFileURL } = require('node:url')
const loaded = ${before}.then(() => import(pathToFileURL(workerData).href))
parentPort.on('message', async (question) => {
  const { answer } = await loaded
  parentPort.postMessage(answer(question))
})
`

const built = () => ({
  source: threadSource('Promise.resolve()'),
  module: fileURLToPath(new URL('./answer.js', import.meta.url)),
})

/** Run from its source, the thread has to learn to read it. */
function fromSource() {
  const loader = new URL('./index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')))
  return {
    source: threadSource(`import(${JSON.stringify(loader.href)}).then(({ register }) => register())`),
    module: fileURLToPath(new URL('./answer.ts', import.meta.url)),
    arguments: ['--conditions=source'],
  }
}

export function createJsonnet(world: World): Jsonnet {
  const thread = createThread<Answer>({
    name: 'Jsonnet',
    asked: 'a program',
    limitMs,
    memory,
    ...(import.meta.url.endsWith('.ts') ? fromSource() : built()),
  })
  const ask = (question: Question): Promise<Answer> => world.clock.outside('jsonnet', () => thread.ask(question))
  return {
    async imports(texts) {
      const answer = await ask({ type: 'imports', texts })
      return answer.type === 'imports' ? answer.imports : []
    },
    async evaluate(program) {
      const answer = await ask({ type: 'evaluate', program })
      if (answer.type === 'faulty') return answer.problem
      return answer.type === 'documents' ? answer.documents : []
    },
  }
}
