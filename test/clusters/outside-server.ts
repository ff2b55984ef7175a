// A second Homeostat as the outside cluster, over HTTPS, and a daemon whose applications deploy to it. Both live in real time,
// so that whatever is waited for is a condition.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { isNotFound } from '#api'
import type { Client, ObjectRef } from '#client'
import type { Daemon, DaemonOptions } from '#daemon'
import { type ApiServer, startApiServer } from '#daemon/apiserver'
import { Application, AppProject, type Kind, type Secret } from '#kinds'
import { residentLoopNames } from '#machine'
import type { KubeObject } from '#objects'
import { type CertifiedKey, issueLeaf } from '../../src/http/tls/issue.ts'
import { createRepository, type TestRepository } from '../gitops/git-repository.ts'
import { startDaemonHere } from '../support/daemon-here.ts'

export interface OutsideServer {
  readonly server: string
  readonly token: string
  readonly caPem: string
  readonly kubeconfig: string
  readonly client: Client
  /** A client certificate of its CA. */
  certificate(commonName: string, ...organizations: readonly string[]): Promise<CertifiedKey>
  stop(): Promise<void>
  /** At the same address, with what it has on disk. */
  start(): Promise<void>
}

export interface Stage {
  readonly outside: OutsideServer
  readonly daemon: Daemon
  readonly client: Client
  readonly repo: TestRepository
  /** Asks Argo CD's REST interface, as the administrator. */
  ask<T = Record<string, unknown>>(request: string, body?: unknown): Promise<T>
  app(name?: string): Promise<Application | undefined>
  close(): Promise<void>
}

/** Real clusters are asked over real connections. */
const patience = { timeout: 25_000, interval: 50 }

export const eventually = <T>(look: () => Promise<T> | T): Promise<T> => vi.waitFor(look, patience)

export async function find<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  ref: ObjectRef,
): Promise<T | undefined> {
  try {
    return await client.get(kind, ref)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

type Access = NonNullable<DaemonOptions['clusters']>

export interface StageOptions {
  readonly files: Readonly<Record<string, string>>
  readonly clusters?: (outside: OutsideServer) => Access | Promise<Access>
}

export async function openStage({ files, clusters }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-clusters-'))
  const outside = await startOutsideServer(join(folder, 'outside'))
  const repo = createRepository()
  repo.commit(files)
  const daemon = await startDaemonHere(folder, {
    dataDir: join(folder, 'home'),
    repository: { location: repo.path, worktree: false, manual: true },
    ...(clusters === undefined ? {} : { clusters: await clusters(outside) }),
  })
  const client = daemon.machine.client()
  await eventually(() => client.get(AppProject, { namespace: 'argocd', name: 'default' }))
  const token = (await readFile(daemon.addresses.kubeconfig, 'utf8')).match(/token: "?([^"\s]+)/)?.[1] ?? ''
  return {
    ...{ outside, daemon, client, repo },
    async ask<T>(request: string, body?: unknown): Promise<T> {
      const [method = 'GET', path = ''] = request.split(' ')
      const response = await fetch(daemon.addresses.dashboard + path, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return (await response.json()) as T
    },
    app: (name = 'web') => find(client, Application, { namespace: 'argocd', name }),
    async close() {
      await daemon.stop()
      await outside.stop()
      repo.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startOutsideServer(dataDir: string): Promise<OutsideServer> {
  let running: ApiServer | undefined
  let apiPort = 0
  const start = async (): Promise<ApiServer> => {
    const api = await startApiServer({
      ...{ dataDir, ephemeral: false, listen: '127.0.0.1', apiPort, nodes: 1, speed: 1, instant: true },
      loops: residentLoopNames(),
    })
    apiPort = Number(new URL(api.addresses.server).port)
    running = api
    return api
  }
  const { addresses } = await start()
  const authority = async (): Promise<CertifiedKey> => ({
    certificatePem: await readFile(join(dataDir, 'pki/ca.crt'), 'utf8'),
    keyPem: await readFile(join(dataDir, 'pki/ca.key'), 'utf8'),
  })
  return {
    ...addresses,
    caPem: (await authority()).certificatePem,
    get client() {
      if (running === undefined) throw new Error('the outside server is stopped')
      return running.machine.client()
    },
    certificate: async (commonName, ...organizations) =>
      issueLeaf(await authority(), { usage: 'client', subject: { commonName, organizations }, validMs: 3_600_000 }),
    async stop() {
      await running?.stop()
      running = undefined
    },
    async start() {
      await start()
    },
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A cluster Secret for the outside server; by the administrator's token, unless `config` says something else. */
export function secretFor(outside: OutsideServer, config: object = {}, fields: Record<string, string> = {}): Secret {
  const usual = { bearerToken: outside.token, tlsClientConfig: { caData: base64(outside.caPem) } }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: 'argocd',
      name: 'cluster-outside',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: { name: 'outside', server: outside.server, config: JSON.stringify({ ...usual, ...config }), ...fields },
  }
}

export const certificateConfig = (outside: OutsideServer, { certificatePem, keyPem }: CertifiedKey): object => ({
  bearerToken: undefined,
  tlsClientConfig: { caData: base64(outside.caPem), certData: base64(certificatePem), keyData: base64(keyPem) },
})

export const caConfig = (pem: string): object => ({ tlsClientConfig: { caData: base64(pem) } })

export function applicationFor({ repo }: Pick<Stage, 'repo'>, destination: object, name = 'web'): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { namespace: 'argocd', name },
    spec: {
      project: 'default',
      source: { repoURL: repo.path, path: 'web', targetRevision: 'HEAD' },
      destination: { namespace: 'shop', ...destination },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    },
  }
}
