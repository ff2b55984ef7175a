// What many applications of one repository cost, counted in looks, requests, writes and reads of the repository: a commit
// costs what it concerns, and time costs each application one look now and then.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Application, ApplicationSet, AppProject } from '#kinds'
import { Observer } from '../support/observer.ts'
import { application, auto, configMap, type Lab, startLab } from './reconciler.ts'

const count = 40
/** So many that a commit does not concern are told of it at once, the others behind them. */
const atOnce = 20
const names = Array.from({ length: count }, (_, i) => `app-${i}`)

interface Work {
  /** Keys that the application loop looked at, in order. */
  readonly looks: readonly string[]
  /** Applications that were written. */
  readonly writes: readonly string[]
  readonly dryRuns: number
  /** Files that were read from the repository. */
  readonly reads: number
}

let lab: Lab
let looks: string[] = []
let writes: string[] = []
let dryRuns = 0
let looksAtSets = 0
let readsOfRefs = 0
let reads = 0

const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1)

async function work(doing: () => Promise<unknown>): Promise<Work> {
  ;[looks, writes, dryRuns, reads] = [[], [], 0, 0]
  await doing()
  return { looks, writes, dryRuns, reads }
}

const timesOf = (list: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name) => [name, list.filter((each) => each === name).length]))

beforeEach(async () => {
  const observer = new Observer()
  observer.join({
    begins: ({ loop, key }) => {
      if (loop === 'application-controller') looks.push(nameOf(key))
      if (loop === 'applicationset-controller') looksAtSets += 1
    },
    wrote: ({ bucket, key }) => {
      if (bucket === 'applications.argoproj.io') writes.push(nameOf(key))
    },
    sends: ({ query }, by) => {
      if (by?.loop === 'application-controller' && query?.['dryRun'] !== undefined) dryRuns += 1
    },
  })
  lab = await startLab({
    files: Object.fromEntries(names.map((name) => [`apps/${name}/a.yaml`, configMap(name, '1')])),
    observer,
    wrap: observer.wrap,
    onTask: (_at, name) => {
      if (name === 'git read') reads += 1
      if (name === 'git refs') readsOfRefs += 1
    },
  })
})
afterEach(() => lab.stop())

const isSettledAt = async (name: string, revision?: string): Promise<boolean> => {
  const { sync, health, operationState } = (await lab.app(name))?.status ?? {}
  return (
    sync?.status === 'Synced' &&
    health?.status === 'Healthy' &&
    operationState?.phase === 'Succeeded' &&
    (revision === undefined || sync.revision === revision)
  )
}
const allAt = async (revision?: string): Promise<boolean> =>
  (await Promise.all(names.map((name) => isSettledAt(name, revision)))).every(Boolean)

/** Applications of a folder each, created together, and run until all are as git says. */
async function createAll(): Promise<void> {
  for (const name of names) {
    const app = application(name, lab.repo, { path: `apps/${name}`, automated: auto })
    await lab.client.create(Application, app)
  }
  await lab.until(() => allAt())
  await lab.world.advance(5000)
}

const others = (list: readonly string[], name: string): readonly string[] => list.filter((each) => each !== name)

describe('forty applications of one repository', () => {
  test('are synced by a look for each step, and every file is read once', async () => {
    const cold = await work(createAll)
    // Begun, applied, ended with its comparison; those that come first make the namespace too.
    expect(Math.max(...Object.values(timesOf(cold.looks)))).toBeLessThanOrEqual(4)
    expect(cold.looks.length).toBeLessThan(count * 4)
    expect(cold.writes.length).toBeLessThan(count * 5)
    expect(cold.reads).toBe(count)
  })

  test('hear of a commit when it concerns them, and otherwise in their own time', async () => {
    await createAll()
    const started = await work(async () => {
      const revision = await lab.commit({ 'apps/app-7/a.yaml': configMap('app-7', '2') })
      await lab.until(() => isSettledAt('app-7', revision), 100)
    })
    expect(started.reads).toBe(1)
    expect(new Set(others(started.looks, 'app-7')).size).toBeLessThanOrEqual(atOnce)
    const revision = (await lab.app('app-7'))?.status?.sync?.revision
    const rest = await work(() => lab.until(() => allAt(revision), 60_000))
    const both = { looks: [...started.looks, ...rest.looks], writes: [...started.writes, ...rest.writes] }
    const { 'app-7': own, ...looked } = timesOf(both.looks)
    expect(own).toBeLessThanOrEqual(4)
    expect(new Set(Object.values(looked))).toEqual(new Set([1]))
    const { 'app-7': _own, ...written } = timesOf(both.writes)
    expect(new Set(Object.values(written))).toEqual(new Set([1]))
    expect(rest.reads + rest.dryRuns).toBe(0)
  })

  test('one that waits for something hears of every commit at once', async () => {
    await createAll()
    await lab.commit({ 'apps/app-30/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [' })
    await lab.until(async () => (await lab.app('app-30'))?.status?.sync?.status === 'Unknown')
    await lab.world.advance(60_000)
    const next = await work(async () => {
      await lab.commit({ 'README.md': 'more' })
      await lab.world.advance(100)
    })
    expect(next.looks).toContain('app-30')
  })

  test('do not each have the repository read when they come', async () => {
    readsOfRefs = 0
    for (const name of names) {
      await lab.client.create(Application, application(name, lab.repo, { path: `apps/${name}` }))
      await lab.world.advance(50)
    }
    // Two seconds of newcomers.
    expect(readsOfRefs).toBeLessThanOrEqual(4)
    const revision = lab.repo.commit({ 'apps/app-0/a.yaml': configMap('app-0', '2') })
    await lab.client.create(Application, application('late', lab.repo, { path: 'apps/app-0' }))
    await lab.until(async () => (await lab.app('late'))?.status?.sync?.revision === revision, 3000)
  })

  test('cost nothing when a repository is looked at and has not moved', async () => {
    await createAll()
    const poll = await work(async () => {
      lab.gitops.repositoryChanged(lab.repo.path)
      await lab.world.advance(1000)
    })
    expect(poll).toEqual({ looks: [], writes: [], dryRuns: 0, reads: 0 })
  })

  test('are all looked at when the loop begins anew, and when everything is listed again', async () => {
    await createAll()
    const { runtime } = lab.machine
    for (const again of [() => runtime.restartLoop('application-controller'), () => runtime.resync()]) {
      const all = await work(async () => {
        again()
        await lab.world.advance(1000)
      })
      expect(Math.min(...Object.values(timesOf(all.looks)))).toBeGreaterThanOrEqual(1)
      expect(all.writes).toEqual([])
    }
  })

  test('cost one look and one write in the time after which each is compared again', async () => {
    await createAll()
    await lab.world.advance(200_000)
    const minutes = await work(() => lab.world.advance(360_000))
    expect(minutes.dryRuns + minutes.reads).toBe(0)
    for (const times of [timesOf(minutes.looks), timesOf(minutes.writes)]) {
      expect(Math.min(...Object.values(times))).toBeGreaterThanOrEqual(2)
      expect(Math.max(...Object.values(times))).toBeLessThanOrEqual(3)
    }
  })

  test('are looked at once when their project changes, and not when something is told on it', async () => {
    await createAll()
    const project = { namespace: 'argocd', name: 'default' }
    const syncWindows = [{ kind: 'deny', schedule: 'never', duration: '1h', applications: ['none'] }]
    const changed = await work(async () => {
      await lab.client.patch(AppProject, project, { spec: { syncWindows } }, { type: 'application/merge-patch+json' })
      await lab.until(async () => ((await lab.client.get(AppProject, project)).status?.conditions ?? []).length > 0)
      await lab.world.advance(2000)
    })
    expect(new Set(Object.values(timesOf(changed.looks)))).toEqual(new Set([1]))
  })

  test('do not each have their ApplicationSet looked at', async () => {
    const { spec } = application('{{.path.basename}}', lab.repo, { path: '{{.path.path}}', automated: auto })
    const git = { repoURL: lab.repo.path, directories: [{ path: 'apps/*' }] }
    const set: ApplicationSet = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { namespace: 'argocd', name: 'all' },
      spec: {
        goTemplate: true,
        generators: [{ git }],
        template: { metadata: { name: '{{.path.basename}}' }, spec: JSON.parse(JSON.stringify(spec)) },
      },
    }
    looksAtSets = 0
    await lab.client.create(ApplicationSet, set)
    await lab.until(() => allAt())
    await lab.world.advance(5000)
    const told = await lab.client.get(ApplicationSet, { namespace: 'argocd', name: 'all' })
    expect(told.status?.resources?.filter(({ status }) => status === 'Synced').length).toBe(count)
    expect(looksAtSets).toBeLessThanOrEqual(8)
  })
})
