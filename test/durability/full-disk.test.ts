// A disk that takes no more: the daemon ends with one line that says so, and what it had acknowledged is there when it comes
// back. A limit for the size of files plays the disk.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigMap } from '#kinds'
import { connect } from './load.ts'

const main = new URL('../../dist/main.js', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'homeostat-full-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<number>
}

function start(kib: number | 'unlimited'): Ran {
  // A write that goes beyond the limit shall fail, not end the process.
  const script = 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"'
  const args = [process.execPath, main, 'apiserver', '--data-dir', join(folder, 'data')]
  const child = spawn('bash', ['-c', script, 'bash', `${kib}`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  return { child, output: () => output, ended: new Promise((done) => child.on('close', (code) => done(code ?? 128))) }
}

const name = (number: number): string => `map-${number}`

/** Writes until it is refused; how many were acknowledged. */
async function fill(): Promise<number> {
  const { client, close } = connect(join(folder, 'data/kubeconfig'))
  try {
    for (let number = 0; number < 200; number += 1) {
      const metadata = { namespace: 'default', name: name(number) }
      const data = { text: 'x'.repeat(100_000) }
      const failed = await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }).then(
        () => false,
        () => true,
      )
      if (failed) return number
    }
    return 200
  } finally {
    close()
  }
}

const ready = ({ output }: Ran): Promise<void> =>
  expect.poll(() => /kubeconfig$/m.test(output()), { timeout: 20_000 }).toBe(true)

describe.skipIf(process.platform === 'win32')('a full disk', () => {
  it('ends the daemon with a word, and loses nothing that was acknowledged', { timeout: 60_000 }, async () => {
    const full = start(2000)
    await ready(full)
    const kept = await fill()
    expect(kept).toBeLessThan(200)
    expect(await full.ended).toBe(3)
    expect(full.output()).toMatch(/^homeostat: the store cannot write to its disk: .+make room/m)
    expect(full.output()).not.toMatch(/Commit failed|Node\.js v/)
    const again = start('unlimited')
    await ready(again)
    const { client, close } = connect(join(folder, 'data/kubeconfig'))
    const { items } = await client.list(ConfigMap, { namespace: 'default' })
    const names = new Set(items.map(({ metadata }) => metadata.name))
    for (let number = 0; number < kept; number += 1) expect(names).toContain(name(number))
    close()
    again.child.kill('SIGTERM')
    expect(await again.ended).toBe(0)
  })

  it('of which the database died says so at the next start', { timeout: 60_000 }, async () => {
    const mark = join(folder, 'data/store.opening')
    expect(existsSync(mark)).toBe(false)
    writeFileSync(mark, '')
    const daemon = start('unlimited')
    await ready(daemon)
    expect(daemon.output()).toMatch(/the last start ended while it read .+store\. .+put the folder aside/)
    daemon.child.kill('SIGTERM')
    expect(await daemon.ended).toBe(0)
    expect(existsSync(mark)).toBe(false)
  })
})
