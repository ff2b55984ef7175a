import { afterEach, expect, test } from 'vitest'
import { createThread, type Thread } from './thread.ts'

const source = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ work }) => {
  const kept = []
  while (work === 'fill') kept.push({ next: kept.length })
  while (work === 'spin') {}
  parentPort.postMessage({ done: work })
})
`
const memory = { heapMiB: 16, stackMiB: 4 }
const open = (): Thread<{ readonly done: string }> =>
  createThread({ name: 'Work', asked: 'a piece', source, module: 'yaml', limitMs: 1500, memory })

let thread = open()
afterEach(() => thread.close())

test('a program that takes all memory is stopped alone, and would be again', async () => {
  thread = open()
  const asked = [thread.ask({ work: 'fill' }), thread.ask({ work: 'easy' })]
  const message = 'Work was stopped: a piece may take 16 MiB of memory at most'
  await expect(asked[0]).rejects.toMatchObject({ reason: 'refused', message })
  await expect(asked[1]).resolves.toEqual({ done: 'easy' })
})

test('a program that does not end is stopped, and the next one is answered', async () => {
  thread = open()
  await thread.ask({ work: 'easy' })
  const message = 'Work was stopped: a piece may take 1.5 s at most'
  await expect(thread.ask({ work: 'spin' })).rejects.toMatchObject({ reason: 'stopped', message })
  await expect(thread.ask({ work: 'easy' })).resolves.toEqual({ done: 'easy' })
})
