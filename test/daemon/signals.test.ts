// How a daemon in a process of its own ends when it is told to: by one signal, by one Ctrl-C that arrives several times
// as it does below npm, and while it still starts.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const main = resolve(import.meta.dirname, '../../src/main.ts')
let folder: string
let child: ChildProcess | undefined
let output: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-signals-'))
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

function up(): ChildProcess {
  const options = ['--port', '0', '--api-port', '0', '--data-dir', join(folder, 'data'), '--nodes', '1']
  child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', main, 'up', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  return child
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    if (child?.exitCode !== null) throw new Error(`ended early:\n${output}`)
    await new Promise((done) => setTimeout(done, 10))
  }
}

const lock = (): string => join(folder, 'data/daemon.lock')

describe('a daemon that is told to stop', () => {
  it.each([
    ['once', 1],
    ['by one Ctrl-C that arrives three times', 3],
  ])(
    '%s, ends in good order',
    async (_how, times) => {
      const daemon = up()
      await until(() => output.includes('KUBECONFIG='))
      const closed = once(daemon, 'close')
      for (let count = 0; count < times; count++) {
        daemon.kill('SIGINT')
        await new Promise((done) => setTimeout(done, 5))
      }
      expect(await closed).toEqual([0, null])
      expect(output).toContain('stopped')
      expect(existsSync(lock())).toBe(false)
    },
    30_000,
  )

  it('while it starts, ends in good order too', async () => {
    const daemon = up()
    await until(() => existsSync(lock()))
    const closed = once(daemon, 'close')
    daemon.kill('SIGTERM')
    expect(await closed).toEqual([0, null])
    expect(existsSync(lock())).toBe(false)
  }, 30_000)
})
