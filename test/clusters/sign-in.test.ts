// Clusters behind HTTPS that are signed in to by a command, or reached through a proxy.

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readKubeconfig } from '#client'
import { Application, ConfigMap, Secret } from '#kinds'
import { type ProxyServer, startProxy } from '../gitops/proxy-server.ts'
import { configMap } from '../gitops/reconciler.ts'
import { applicationFor, caConfig, eventually, find, openStage, type Stage, secretFor } from './outside-server.ts'

let folder: string
let stage: Stage
let proxy: ProxyServer | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-sign-in-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(async () => {
  await stage.close()
  await proxy?.close()
  proxy = undefined
})

const files = { 'web/settings.yaml': configMap('settings', 'one') }
const ref = { namespace: 'shop', name: 'settings' }
const apiVersion = 'client.authentication.k8s.io/v1'
const command = (): string => join(folder, 'sign-in')

/** A program that prints what stands in a file beside it. */
async function installCommand(): Promise<void> {
  await writeFile(command(), `#!/bin/sh\ncat ${join(folder, 'credential')}\n`)
  await chmod(command(), 0o755)
}
const gives = (status: object): Promise<void> =>
  writeFile(join(folder, 'credential'), JSON.stringify({ apiVersion, kind: 'ExecCredential', status }))

async function synced(): Promise<void> {
  await eventually(async () => {
    const status = (await stage.app())?.status
    expect([status?.sync?.status, status?.health?.status]).toEqual(['Synced', 'Healthy'])
  })
}
const settings = async () => (await find(stage.outside.client, ConfigMap, ref))?.data?.['key']

async function heals(): Promise<void> {
  await stage.outside.client.patch(
    ConfigMap,
    ref,
    { data: { key: 'by hand' } },
    { type: 'application/merge-patch+json' },
  )
  await eventually(async () => expect(await settings()).toBe('one'))
}

describe('a cluster that is not entered by a token at hand', { timeout: 120_000 }, () => {
  it('is entered by the command that a Secret names and the operator allowed, and again when that gives another token', async () => {
    await installCommand()
    await gives({ token: 'wrong' })
    stage = await openStage({
      files,
      clusters: () => ({ commands: { commands: [[command()]], variables: [] } }),
    })
    const { outside, client } = stage
    const config = { bearerToken: undefined, execProviderConfig: { command: command(), apiVersion } }
    await client.create(Secret, secretFor(outside, { ...caConfig(outside.caPem), ...config }))
    await client.create(Application, applicationFor(stage, { server: outside.server }))
    await eventually(async () => {
      const [condition] = (await stage.app())?.status?.conditions ?? []
      expect(condition?.message).toContain('does not accept the credentials of the Secret argocd/cluster-outside')
    })
    await gives({ token: outside.token, expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString() })
    await synced()
    await heals()
  })

  it('is entered by the certificate that the command of a context gives', async () => {
    await installCommand()
    stage = await openStage({
      files,
      clusters: ({ server, caPem }) => {
        const connection = { server, ca: caPem, namespace: 'default' }
        const exec = { apiVersion, command: command(), arguments: [], environment: {} }
        return { contexts: [{ name: 'prod', connection: { ...connection, exec }, origin: 'the context prod' }] }
      },
    })
    const { certificatePem, keyPem } = await stage.outside.certificate('admin', 'system:masters')
    await gives({ clientCertificateData: certificatePem, clientKeyData: keyPem })
    await stage.client.create(Application, applicationFor(stage, { name: 'prod' }))
    await synced()
    await heals()
  })

  it('is reached through the proxy that a kubeconfig names, which learns its address alone', async () => {
    stage = await openStage({
      files,
      clusters: async ({ server, kubeconfig }) => {
        proxy = await startProxy({ target: server, login: 'me:secret' })
        const address = proxy.url.replace('//', '//me:secret@')
        const text = (await readFile(kubeconfig, 'utf8')).replace(/^( *)server: /m, `$1proxy-url: ${address}\n$&`)
        return { contexts: [{ name: 'prod', connection: readKubeconfig(text), origin: 'the context prod' }] }
      },
    })
    await stage.client.create(Application, applicationFor(stage, { name: 'prod' }))
    await synced()
    await heals()
    expect(new Set(proxy?.asked)).toEqual(new Set([`CONNECT ${new URL(stage.outside.server).host}`]))
  })
})
