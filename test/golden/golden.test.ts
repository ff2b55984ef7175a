// Every recording of a real 1.34 control plane, replayed over HTTPS. What differs is named in differences.txt with its
// reason; a line there that no longer differs must go.

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, readKubeconfig, startDaemon, stopDaemon } from '../support/daemon-process.ts'

interface Result {
  readonly name: string
  readonly ok: boolean
  readonly failures?: unknown
}

const here = import.meta.dirname
const areas = readdirSync(join(here, 'cassettes')).sort()
const differences = new Set(
  readFileSync(join(here, 'differences.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ')[0] ?? ''),
)

describe('recordings of a real control plane', () => {
  let folder: string
  let daemon: Daemon
  let server: ReturnType<typeof readKubeconfig>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'homeostat-golden-'))
    daemon = await startDaemon({ dataDir: folder, args: ['--ephemeral', '--kubelet', 'standin'] })
    server = readKubeconfig(join(folder, 'kubeconfig'))
  })
  afterAll(async () => {
    await stopDaemon(daemon)
    rmSync(folder, { recursive: true, force: true })
  })

  const replay = async (area: string): Promise<readonly Result[]> => {
    const report = join(folder, `${area}.json`)
    const target = ['--server', server.server, '--token', server.token, '--insecure', '--ns-prefix', `${area}-`]
    const args = [join(here, 'replay.mjs'), ...target, '--jobs', '4', '--json', report, join(here, 'cassettes', area)]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    await new Promise((resolve) => child.on('close', resolve))
    return (JSON.parse(readFileSync(report, 'utf8')) as { results: readonly Result[] }).results
  }

  it.each(areas)(
    '%s',
    async (area) => {
      const results = await replay(area)
      expect(results).toHaveLength(readdirSync(join(here, 'cassettes', area)).length)
      const failed = results.filter(({ ok }) => !ok)
      expect(failed.filter(({ name }) => !differences.has(name))).toEqual([])
      const listed = [...differences].filter((name) => name.startsWith(`${area}/`)).sort()
      expect(failed.map(({ name }) => name).sort()).toEqual(listed)
    },
    240_000,
  )
})
