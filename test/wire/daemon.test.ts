// A whole daemon in this process: what it leaves in its data directory, what it says when it cannot start, and that a
// second start finds everything again.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient, httpHandler, readKubeconfigFile } from '#client'
import type { Daemon, DaemonOptions } from '#daemon'
import { Application, ConfigMap } from '#kinds'
import { startDaemonHere } from '../support/daemon-here.ts'

let folder: string
const running: Daemon[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-daemon-'))
})
afterEach(async () => {
  for (const daemon of running.splice(0)) await daemon.stop()
  await rm(folder, { recursive: true })
})

async function start(options: Partial<DaemonOptions> = {}): Promise<Daemon> {
  const daemon = await startDaemonHere(folder, { ephemeral: false, ...options })
  running.push(daemon)
  return daemon
}

const clientOf = (daemon: Daemon) => {
  const handler = httpHandler(readKubeconfigFile(daemon.addresses.kubeconfig))
  return { handler, client: createClient(handler, { user: '', groups: [], userAgent: 'test' }) }
}

describe('a daemon', () => {
  it('keeps cluster, certificates and tokens from one start to the next', async () => {
    const first = await start()
    const kubeconfig = await readFile(first.addresses.kubeconfig, 'utf8')
    const before = clientOf(first)
    const metadata = { namespace: 'default', name: 'kept' }
    const made = await before.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { a: 'b' },
    })
    before.handler.close()
    await first.stop()
    const second = await start()
    // Entries are named after their port.
    const withoutAddresses = (text: string): string => text.replace(/https?:\S+|homeostat-\d+/g, '')
    expect(withoutAddresses(await readFile(second.addresses.kubeconfig, 'utf8'))).toBe(withoutAddresses(kubeconfig))
    const after = clientOf(second)
    expect(await after.client.get(ConfigMap, { namespace: 'default', name: 'kept' })).toEqual(made)
    after.handler.close()
    for (const file of ['kubeconfig', 'tokens.csv', 'pki/ca.key', 'pki/sa.key', 'daemon.log'])
      expect((await stat(join(folder, 'data', file))).mode & 0o077, file).toBe(0)
  })

  it('names alike for one seed, and never draws the same again when it is continued', async () => {
    const made = async (options: Partial<DaemonOptions>) => {
      const daemon = await start({ seed: 3, ...options })
      const { client, handler } = clientOf(daemon)
      const metadata = { namespace: 'default', generateName: 'a-' }
      const objects = []
      for (let count = 0; count < 3; count++)
        objects.push(await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata }))
      for (const { metadata: meta } of objects)
        await client.delete(ConfigMap, { namespace: 'default', name: meta.name ?? '' })
      handler.close()
      await daemon.stop()
      return objects.map((object) => object.metadata.name)
    }
    const first = await made({})
    expect(await made({ dataDir: join(folder, 'other') })).toEqual(first)
    expect(new Set([...first, ...(await made({}))]).size).toBe(6)
  })

  it('makes the root application of its repository', async () => {
    const daemon = await start({ ephemeral: true, repository: { location: folder, worktree: false, manual: true } })
    const { client, handler } = clientOf(daemon)
    const { items } = await client.list(Application, { namespace: 'argocd' })
    expect(items.map(({ spec }) => [spec.source?.repoURL, spec.syncPolicy])).toEqual([[folder, undefined]])
    handler.close()
  })

  it('serves health and metrics at both ports', async () => {
    const daemon = await start({ ephemeral: true })
    expect(await (await fetch(`${daemon.addresses.dashboard}/healthz`)).text()).toBe('ok')
    const { client, handler } = clientOf(daemon)
    const answer = await client.request({ verb: 'get', path: '/metrics' })
    expect(answer.body.type === 'text' && answer.body.text).toContain('homeostat_store_revision')
    handler.close()
  })
})

describe('a daemon that cannot start says so in one line', () => {
  it('when another one has its data directory', async () => {
    await start({ ephemeral: true })
    await expect(start()).rejects.toThrow(/^another homeostat \(process \d+\) uses the data directory .*--data-dir$/)
  })

  it('when its file of tokens cannot be read', async () => {
    await (await start({ ephemeral: true })).stop()
    await writeFile(join(folder, 'data/tokens.csv'), 'garbage')
    await expect(start({ ephemeral: true })).rejects.toThrow(/data: tokens\.csv: each line must read/)
    await writeFile(join(folder, 'data/tokens.csv'), 'secret,ann,ann,"developers"\n')
    await expect(start({ ephemeral: true })).rejects.toThrow(/tokens\.csv has no user in the group system:masters/)
  })

  it('when a port is taken, and leaves nothing behind', async () => {
    const other = createServer()
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port))
    })
    await expect(start({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use; choose another one with --port`)
    await expect(start({ apiPort: port })).rejects.toThrow('choose another one with --api-port')
    await new Promise((resolve) => other.close(resolve))
    await start({ port })
  })

  it('when the address, the repository or the folder is none', async () => {
    await expect(start({ listen: '192.0.2.1' })).rejects.toThrow('192.0.2.1 is no address of this machine')
    const repository = { location: join(folder, 'none'), worktree: false, manual: false }
    await expect(start({ repository })).rejects.toThrow('there is no repository at')
    await expect(start({ dataDir: '/proc/homeostat' })).rejects.toThrow(
      /^cannot use the data directory \/proc\/homeostat: /,
    )
  })
})
