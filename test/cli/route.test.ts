// `homeostat route` against a daemon in this process: what it prints, and how it ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daemon } from '#daemon'
import { runLine } from '../support/command-line.ts'
import { startDaemonHere } from '../support/daemon-here.ts'

let folder: string
let daemon: Daemon
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'homeostat-route-'))
  daemon = await startDaemonHere(folder)
}, 60_000)
afterAll(async () => {
  await daemon.stop()
  rmSync(folder, { recursive: true })
})

const run = (...args: readonly string[]) =>
  runLine(args, { cwd: folder, env: { HOMEOSTAT_DATA_DIR: join(folder, 'data') } })

it('shows the way to a Service', async () => {
  await expect.poll(async () => (await run('route', 'kubernetes', '--from', 'node-0')).err).toBe('')
  const { out } = await run('route', 'kubernetes', '--from', 'node-0')
  expect(out).toMatch(/^kubernetes from node-0\n {2}name {5}kubernetes\.default\.svc\.cluster\.local → 10\.96\.0\.1/)
  const { out: json } = await run('route', 'kubernetes:https', '--from', 'node/node-0', '-o', 'json')
  expect(JSON.parse(json)).toMatchObject({ service: 'default/kubernetes', table: { node: 'node-0' } })
})

it.each<[number, readonly string[], RegExp]>([
  [2, ['route', 'kubernetes'], /--from/],
  [2, ['route', '--from', 'node-0'], /service/],
  [2, ['route', 'kubernetes', '--from', 'node-0', '-o', 'xml'], /-o xml/],
  [2, ['route', 'kubernetes', '--from', 'node-0', '--protocol', 'HTTP'], /use one of TCP, UDP, SCTP/],
  [3, ['route', 'none', '--from', 'node-0'], /none does not resolve \(NXDOMAIN\)/],
  [3, ['route', 'kubernetes:1', '--from', 'node-0'], /has no port 1\/TCP: it has 443\/TCP \(https\)/],
  [3, ['route', 'kubernetes', '--from', 'nobody'], /there is no node and no pod named nobody/],
])('ends with %i for %j', async (code, args, message) => {
  const ran = await run(...args)
  expect([ran.code, ran.out]).toEqual([code, ''])
  expect(ran.err).toMatch(message)
})
