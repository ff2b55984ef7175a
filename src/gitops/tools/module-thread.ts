// A thread that runs a module of ours, from the build or from its source. The module exports `answer`, which is given each question.

import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ThreadOptions } from './thread.ts'

const threadSource = (before: string): string => `
const { parentPort, workerData } = require('node:worker_threads')
const { pathToFileURL } = require('node:url')
const loaded = ${before}.then(() => import(pathToFileURL(workerData).href))
parentPort.on('message', async (question) => {
  const { answer } = await loaded
  parentPort.postMessage(await answer(question))
})
`

/** `from` is the asker's `import.meta.url`; `name` is that of the module beside it, without an ending. */
export function moduleThread(from: string, name: string): Pick<ThreadOptions, 'source' | 'module' | 'arguments'> {
  const ending = from.endsWith('.ts') ? '.ts' : '.js'
  const module = fileURLToPath(new URL(`${name}${ending}`, from))
  if (ending === '.js') return { source: threadSource('Promise.resolve()'), module }
  // Run from its source, the thread has to learn to read it.
  const loader = new URL('./index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')))
  const before = `import(${JSON.stringify(loader.href)}).then(({ register }) => register())`
  return { source: threadSource(before), module, arguments: ['--conditions=source'] }
}
