// A cluster with a reconciler and many Applications of one repository, and what its work costs.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '#client'
import { createGitops, type Gitops } from '#gitops'
import { Application, AppProject } from '#kinds'
import { createMachine, type Machine } from '#machine'
import { type SystemWorld, systemWorld } from '#world'
import { Board } from './gitops-board.ts'
import { appName, appPath, type BenchRepository } from './gitops-repository.ts'
import { createNamespace, namespace } from './load.ts'

const controller = 'application-controller'

export interface Work {
  readonly cpuMs: number
  /** Of the application loop. */
  readonly looks: number
  readonly writes: number
}

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

export class GitopsCluster {
  readonly world: SystemWorld = systemWorld({ logLevel: 'error' })
  readonly board = new Board()
  readonly gitops: Gitops
  readonly machine: Machine
  readonly client: Client
  readonly #repository: BenchRepository
  readonly #apps: number

  constructor(repository: BenchRepository, apps: number) {
    this.#repository = repository
    this.#apps = apps
    const { world } = this
    this.gitops = createGitops({ world, directory: '/nonexistent', local: [{ path: repository.path }], follow: true })
    this.machine = createMachine({ world, instant: true, nodes: 1, extraLoops: this.gitops.loops })
    this.client = this.machine.client()
  }

  /** Applications that nobody has looked at yet. */
  async create(): Promise<void> {
    this.machine.start()
    while (!this.machine.runtime.synced()) await delay(20)
    await createNamespace(this.client)
    await delay(1000)
    for (const loop of this.gitops.loops) this.machine.runtime.pauseLoop(loop.name)
    for (let i = 0; i < this.#apps; i += 1) await this.client.create(Application, this.#application(i))
    await delay(1000)
    await this.board.follow(this.client)
  }

  #application(i: number): Application {
    return {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: appName(i), namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: this.#repository.path, path: appPath(i), targetRevision: 'HEAD' },
        destination: { server: 'https://kubernetes.default.svc', namespace },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    }
  }

  async cold(): Promise<void> {
    for (const loop of this.gitops.loops) this.machine.runtime.resumeLoop(loop.name)
    await this.board.until(() => this.board.settled === this.#apps)
  }

  /** Milliseconds from a commit of one file until its application is Synced at it. */
  async commit(i: number): Promise<number> {
    const revision = await this.#repository.change(i)
    const begunAt = performance.now()
    await this.board.until(() => this.board.isSyncedAt(appName(i), revision))
    return performance.now() - begunAt
  }

  async poll(): Promise<void> {
    const before = this.#looksOf('repository')
    this.gitops.repositoryChanged(this.#repository.path)
    while (this.#looksOf('repository') === before) await delay(2)
  }

  monitorOrphans(isOn: boolean): Promise<unknown> {
    const spec = { orphanedResources: isOn ? { warn: true } : null }
    const ref = { namespace: 'argocd', name: 'default' }
    return this.client.patch(AppProject, ref, { spec }, { type: 'application/merge-patch+json' })
  }

  async work(doing: () => Promise<unknown>): Promise<Work> {
    const [looks, revision] = [this.#looksOf(controller), this.machine.store.revision]
    const before = process.cpuUsage()
    await doing()
    return {
      cpuMs: Math.round(cpuMs(before)),
      looks: this.#looksOf(controller) - looks,
      writes: this.machine.store.revision - revision,
    }
  }

  #looksOf(name: string): number {
    return this.machine.runtime.figures().loops.find((loop) => loop.name === name)?.reconciles ?? 0
  }

  async end(): Promise<void> {
    this.board.close()
    await this.machine.stop()
    this.world.close()
  }
}
