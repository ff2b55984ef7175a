// A daemon that is killed at any moment under write load comes back with everything that it had acknowledged, and its
// revisions never go back. The moments come from a seed: HOMEOSTAT_SEED=N repeats a run as far as real time allows.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#client'
import { ConfigMap } from '#kinds'
import { seededRandom } from '#world'
import { type Daemon, startDaemon, stopDaemon } from '../support/daemon-process.ts'
import { compare, connect, newLedger, writer } from './load.ts'

const rounds = 50
const writers = 8
const loadMsMax = 250

const seed = process.env['HOMEOSTAT_SEED'] ?? '1'
const random = seededRandom(`sigkill ${seed}`)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-durability-'))
})
afterAll(() => rm(folder, { recursive: true }))

const start = (): Promise<Daemon> => startDaemon({ dataDir: folder, args: ['--nodes', '0'] })

/** The refusal of a watch: at once, or as its first event. */
async function firstAnswer(client: Client, resourceVersion: string): Promise<unknown> {
  try {
    const events = await client.watch(ConfigMap, { namespace: 'default', resourceVersion, timeoutSeconds: 5 })
    for await (const [event] of events) return event?.object
  } catch (error) {
    return error
  }
  return undefined
}

describe('a daemon that is killed', () => {
  it(`keeps every acknowledged write, ${rounds} times (seed ${seed})`, { timeout: 180_000 }, async () => {
    const ledger = newLedger()
    for (let round = 0; round < rounds; round += 1) {
      const daemon = await start()
      const { client, close } = connect(join(folder, 'kubeconfig'))
      expect(await compare(client, ledger), `after kill ${round}`).toEqual([])
      const abort = new AbortController()
      const load = Array.from({ length: writers }, (_, number) =>
        writer(client, ledger, { number, round, random: random.fork(`${round} ${number}`), signal: abort.signal }),
      )
      await Promise.race([delay(20 + random.int(loadMsMax)), ...load])
      const ended = new Promise((resolve) => daemon.process.once('exit', resolve))
      abort.abort()
      daemon.process.kill('SIGKILL')
      await Promise.all([ended, ...load])
      close()
    }
    expect(ledger.writes).toBeGreaterThan(rounds * writers)
    const daemon = await start()
    const { client, close } = connect(join(folder, 'kubeconfig'))
    expect(await compare(client, ledger)).toEqual([])
    close()
    expect(await stopDaemon(daemon)).toBe(0)
  })

  it('tells watchers from before that their revision is gone, and goes on without a gap after a clean stop', async () => {
    const kubeconfig = join(folder, 'kubeconfig')
    const before = await start()
    const first = connect(kubeconfig)
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'before' } }
    const { resourceVersion = '' } = (await first.client.create(ConfigMap, object)).metadata
    const ended = new Promise((resolve) => before.process.once('exit', resolve))
    before.process.kill('SIGKILL')
    await ended
    first.close()

    const after = await start()
    const second = connect(kubeconfig)
    expect(await firstAnswer(second.client, resourceVersion)).toMatchObject({ code: 410, reason: 'Expired' })
    const { resourceVersion: last } = await second.client.list(ConfigMap, { namespace: 'default' })
    second.close()
    expect(await stopDaemon(after)).toBe(0)

    const again = await start()
    const third = connect(kubeconfig)
    const { resourceVersion: next } = await third.client.list(ConfigMap, { namespace: 'default' })
    expect(Number(next) - Number(last)).toBeLessThan(1000)
    third.close()
    await stopDaemon(again)
  })
})
