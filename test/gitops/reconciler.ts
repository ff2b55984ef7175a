// A machine in virtual time with the reconciler in it, following a real repository on disk.

import { rmSync } from 'node:fs'
import { type ApiHandler, isNotFound } from '#api'
import type { Client, ObjectRef } from '#client'
import { type ClusterAccess, createGitops, createTools, type Gitops, type ToolsOptions } from '#gitops'
import type { Kind } from '#kinds'
import { Application, Deployment, type Operation } from '#kinds'
import { createMachine, type Machine } from '#machine'
import type { KubeObject } from '#objects'
import { type SimulatedWorld, simulatedWorld } from '#world'
import type { Observer } from '../support/observer.ts'
import { pluginsIn } from '../support/plugins.ts'
import { createRepository, type TestRepository } from './git-repository.ts'

export interface Lab {
  readonly world: SimulatedWorld
  readonly machine: Machine
  readonly client: Client
  readonly gitops: Gitops
  readonly repo: TestRepository
  /** Commits and says so, as a webhook or a file watch would. */
  commit(files: Readonly<Record<string, string>>): Promise<string>
  /** Removes files, commits and says so. */
  remove(...files: readonly string[]): Promise<string>
  app(name: string): Promise<Application | undefined>
  create(app: Application): Promise<void>
  find<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<T | undefined>
  until(condition: () => boolean | Promise<boolean>, limitMs?: number): Promise<void>
  /** Runs until the application is in sync and healthy. */
  settled(name: string): Promise<Application>
  /** Merges a change into an application. */
  patch(name: string, change: object): Promise<void>
  sync(name: string, operation?: Operation): Promise<void>
  stop(): Promise<void>
}

export interface LabOptions {
  readonly seed?: string | number
  readonly files?: Readonly<Record<string, string>>
  /** Around every request to the API server. */
  readonly wrap?: (next: ApiHandler) => ApiHandler
  /** Sees every write, and who made it. */
  readonly observer?: Observer
  /** Address of the repository's remote: the repository is its local checkout. */
  readonly remote?: string
  /** Where remotes are mirrored; default nowhere: there are none. */
  readonly mirrors?: string
  /** What renders charts and kustomizations. */
  readonly tools?: Omit<ToolsOptions, 'world'>
  /** Documents of the plug-ins that may run. */
  readonly plugins?: readonly object[]
  /** Whose AWS keys generators may use. */
  readonly aws?: Readonly<Record<string, string>>
  /** How clusters other than the built-in one are reached. */
  readonly clusters?: (world: SimulatedWorld) => ClusterAccess
  /** Called before every task of the world. */
  readonly onTask?: (at: number, name: string) => void
  /** Default true: no delays for pulling images and starting containers. */
  readonly instant?: boolean
}

export const appNamespace = 'argocd'

export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { onTask } = options
  const world = simulatedWorld(options.seed ?? 1, onTask === undefined ? {} : { onTask })
  const repo = createRepository()
  repo.commit(options.files ?? { 'README.md': 'empty' })
  if (options.remote !== undefined) repo.git('remote', 'add', 'origin', options.remote)
  const tools = options.tools === undefined ? {} : { tools: createTools({ world, ...options.tools }) }
  const gitops = createGitops({
    world,
    directory: options.mirrors ?? '/nonexistent',
    local: [{ path: repo.path }],
    ...tools,
    plugins: pluginsIn(options.plugins ?? []),
    aws: options.aws,
    ...(options.clusters === undefined ? {} : { clusters: options.clusters(world) }),
  })
  const machine = createMachine({
    world,
    instant: options.instant ?? true,
    extraLoops: gitops.loops,
    ...(options.observer === undefined ? {} : { store: options.observer.store, around: options.observer.around }),
    ...(options.wrap === undefined ? {} : { wrap: options.wrap }),
  })
  const client = machine.client()
  machine.start()
  const until = async (condition: () => boolean | Promise<boolean>, limitMs = 300_000): Promise<void> => {
    const limitAt = world.clock.now() + limitMs
    for (await world.settle(); !(await condition()); await world.advance(50)) {
      if (world.clock.now() >= limitAt)
        throw new Error(`not within ${limitMs / 1000} s of virtual time (seed ${world.seed}): ${condition}`)
    }
  }
  const find = async <T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<T | undefined> => {
    try {
      return await client.get(kind, ref)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
  const told = async (revision: string): Promise<string> => {
    gitops.repositoryChanged(repo.path)
    await world.settle()
    return revision
  }
  const app = (name: string) => find(Application, { namespace: appNamespace, name })
  const patch = async (name: string, change: object): Promise<void> => {
    await client.patch(Application, { namespace: appNamespace, name }, change, { type: 'application/merge-patch+json' })
    await world.settle()
  }
  await until(() => machine.runtime.synced())
  return {
    world,
    machine,
    client,
    gitops,
    repo,
    commit: (files) => told(repo.commit(files)),
    remove(...files) {
      repo.git('rm', '-q', ...files)
      return told(repo.commit())
    },
    app,
    async create(object) {
      await client.create(Application, object)
      await world.settle()
    },
    find,
    until,
    async settled(name) {
      await until(async () => {
        const status = (await app(name))?.status
        return (
          status?.sync?.status === 'Synced' &&
          status.health?.status === 'Healthy' &&
          status.operationState?.phase !== 'Running'
        )
      })
      const found = await app(name)
      if (found === undefined) throw new Error(`application ${name} is gone`)
      return found
    },
    patch,
    sync: (name, operation = { sync: {} }) => patch(name, { operation }),
    async stop() {
      await world.drive(() => machine.stop())
      rmSync(repo.path, { recursive: true, force: true })
    },
  }
}

export interface AppOptions {
  readonly path?: string
  readonly automated?: object
  readonly syncOptions?: readonly string[]
  readonly finalizer?: boolean
  readonly more?: object
}

export function application(name: string, repo: { readonly path: string }, options: AppOptions = {}): Application {
  const { path = name, automated, syncOptions, finalizer = false, more = {} } = options
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: appNamespace,
      ...(finalizer ? { finalizers: ['resources-finalizer.argocd.argoproj.io'] } : {}),
    },
    spec: {
      project: 'default',
      source: { repoURL: repo.path, path, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      syncPolicy: {
        ...(automated === undefined ? {} : { automated }),
        syncOptions: syncOptions ?? ['CreateNamespace=true'],
      },
      ...more,
    },
  }
}

export const auto = { prune: true, selfHeal: true }

export function configMap(name: string, value: string, annotations: Readonly<Record<string, string>> = {}): string {
  return manifest({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data: { key: value } })
}

export function deployment(
  name: string,
  options: { readonly replicas?: number; readonly image?: string; readonly annotations?: object } = {},
): string {
  const labels = { app: name }
  return manifest({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, annotations: options.annotations ?? {} },
    spec: {
      replicas: options.replicas ?? 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: options.image ?? 'nginx:1.27' }] },
      },
    },
  })
}

/** Runs a command once. */
export function job(name: string, annotations: object, command = 'true'): string {
  return manifest({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'busybox:1.36', command: ['sh', '-c', command] }],
        },
      },
    },
  })
}

/** JSON is YAML too. */
export const manifest = (object: object): string => `${JSON.stringify(object, null, 2)}\n`

export const deploymentRef = (name: string): [typeof Deployment, ObjectRef] => [Deployment, { namespace: 'shop', name }]
