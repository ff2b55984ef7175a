// The contract of loops, for those of the reconciler: idempotent, restartable anywhere, level-triggered, backing off.

import { describe, expect, test } from 'vitest'
import { type ApiHandler, type ApiRequest, isNotFound } from '#api'
import { Application, AppProject, ConfigMap, Deployment, type Kind, Namespace, Service } from '#kinds'
import type { KubeObject } from '#objects'
import { orders, StepTrouble } from '../contract/step-trouble.ts'
import { Inspection, invariants } from '../simulation/invariants/index.ts'
import { isWrite, recorder, requestFaults, watchFaults } from '../support/faults.ts'
import { Observer } from '../support/observer.ts'
import {
  application,
  appNamespace,
  auto,
  configMap,
  deployment,
  job,
  type Lab,
  manifest,
  startLab,
} from './reconciler.ts'

const remote = 'https://git.example.com/platform/examples.git'
const loops = [
  'argocd-defaults',
  'repository',
  'appproject-controller',
  'application-controller',
  'orphaned-resources',
  'applicationset-controller',
]
const timeoutMs = 120_000
const merge = { type: 'application/merge-patch+json' } as const

const child = (name: string): string =>
  manifest(application(name, { path: remote }, { automated: auto, finalizer: true }))
/** An application of each folder in sets/, synced step by step. */
const set = manifest({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'set', namespace: appNamespace },
  spec: {
    generators: [{ git: { repoURL: remote, directories: [{ path: 'sets/*' }] } }],
    strategy: {
      type: 'RollingSync',
      deletionOrder: 'Reverse',
      rollingSync: {
        steps: [
          { matchExpressions: [{ key: 'of', operator: 'In', values: ['gone'] }] },
          { matchExpressions: [{ key: 'of', operator: 'NotIn', values: ['gone'] }], maxUpdate: 1 },
        ],
      },
    },
    template: {
      metadata: { name: '{{path.basename}}', labels: { of: '{{path.basename}}' } },
      spec: application('any', { path: remote }, { path: '{{path}}', automated: auto }).spec,
    },
  },
})
/** A project with something to say about it. */
const project = manifest({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'odd', namespace: appNamespace },
  spec: { syncWindows: [{ kind: 'deny', schedule: 'never', duration: '1h', applications: ['nobody'] }] },
})
const wave = (number: number) => ({ 'argocd.argoproj.io/sync-wave': String(number) })

const files = {
  'apps/web.yaml': child('web'),
  'apps/old.yaml': child('old'),
  'apps/set.yaml': set,
  'apps/project.yaml': project,
  'web/settings.yaml': configMap('settings', '1', wave(-1)),
  'web/web.yaml': deployment('web', { replicas: 2 }),
  'web/late.yaml': configMap('late', '1', wave(2)),
  'old/old.yaml': configMap('old', '1'),
  'old/before.yaml': job('before', { 'argocd.argoproj.io/hook': 'PreDelete' }),
  'old/after.yaml': configMap('after', '1', {
    'argocd.argoproj.io/hook': 'PostDelete',
    'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded',
  }),
  'sets/kept/map.yaml': configMap('kept', '1'),
  'sets/gone/map.yaml': configMap('gone', '1'),
}

/** Everything that a reconciler has to deal with; `chapter` waits, or lets a fixed time go by. */
async function tell(lab: Lab, chapter: (holds: () => Promise<boolean>) => Promise<void>): Promise<void> {
  await lab.create(application('root', lab.repo, { path: 'apps', automated: auto }))
  await chapter(() => isSettled(lab, 'web', 'old', 'root', 'kept', 'gone'))
  await lab.commit({
    'web/web.yaml': deployment('web', { replicas: 2, image: 'nginx:1.28' }),
    'web/more.yaml': configMap('more', '1'),
  })
  await chapter(() => isSettled(lab, 'web'))
  const web = { namespace: 'shop', name: 'web' }
  await whereFound(() =>
    lab.client.patch(
      AppProject,
      { namespace: appNamespace, name: 'default' },
      { spec: { orphanedResources: { warn: true } } },
      merge,
    ),
  )
  await whereFound(() => strew(lab))
  await whereFound(() => lab.client.patch(Deployment, web, { spec: { replicas: 7 } }, merge))
  await whereFound(() => lab.client.delete(ConfigMap, { namespace: 'shop', name: 'settings' }))
  await chapter(() => isSettled(lab, 'web'))
  await lab.remove('apps/old.yaml', 'web/late.yaml', 'sets/gone/map.yaml')
  await chapter(() => isAtTheEnd(lab))
}

async function isAtTheEnd(lab: Lab): Promise<boolean> {
  for (const name of ['old', 'gone']) if ((await lab.app(name)) !== undefined) return false
  return isSettled(lab, 'web', 'root', 'kept')
}

/** An object that belongs to no application. */
async function strew(lab: Lab): Promise<void> {
  const metadata = { namespace: 'shop', name: 'stray' }
  if ((await lab.find(ConfigMap, metadata)) === undefined)
    await lab.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
}

/** With faults, what shall be meddled with may not be there yet. */
async function whereFound(meddle: () => Promise<unknown>): Promise<void> {
  await meddle().catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}

async function isSettled(lab: Lab, ...names: readonly string[]): Promise<boolean> {
  const revisions = new Set<string | undefined>()
  for (const name of names) {
    const status = (await lab.app(name))?.status
    const settled =
      status?.sync?.status === 'Synced' &&
      status.health?.status === 'Healthy' &&
      status.operationState?.phase === 'Succeeded'
    if (!settled) return false
    revisions.add(status.sync?.revision)
  }
  // Git is asked last: that takes longer than all the rest.
  return revisions.size === 1 && revisions.has(lab.repo.git('rev-parse', 'HEAD'))
}

async function endState(lab: Lab): Promise<readonly string[]> {
  const state: string[] = []
  for (const kind of [Application, AppProject, ConfigMap, Deployment, Service] as readonly Kind[]) {
    for (const object of (await lab.client.list(kind)).items) state.push(describeObject(object))
  }
  return state.filter((line) => !line.includes('kube-root-ca.crt')).sort()
}

function describeObject(object: KubeObject): string {
  const { kind, metadata, spec, data, status } = object as KubeObject & {
    readonly spec?: object
    readonly data?: object
    readonly status?: {
      readonly sync?: object
      readonly health?: { readonly status?: string }
      readonly conditions?: readonly { readonly message: string }[]
    }
  }
  const messages = status?.conditions?.map(({ message }) => message)
  const own =
    kind === 'Application'
      ? { sync: status?.sync, health: status?.health?.status, messages }
      : kind === 'AppProject'
        ? { messages }
        : {}
  return JSON.stringify([
    kind,
    metadata.namespace,
    metadata.name,
    metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    spec,
    data,
    own,
  ]).replace(/\/tmp\/[\w./-]+/g, '<repo>')
}

/** Long enough for every back-off to run out. */
async function rest(lab: Lab): Promise<void> {
  await lab.until(() => isAtTheEnd(lab), 1_800_000)
  await strew(lab)
  await lab.world.advance(10_000)
}

async function expectedEnd(): Promise<readonly string[]> {
  const lab = await startLab({ files, remote })
  await tell(lab, (holds) => lab.until(holds))
  await rest(lab)
  const end = await endState(lab)
  await lab.stop()
  return end
}

describe('the loops of the reconciler', () => {
  test(
    'write nothing to an unchanged world',
    async () => {
      const written = recorder()
      const lab = await startLab({ files, remote, wrap: written.wrap })
      await tell(lab, (holds) => lab.until(holds))
      await rest(lab)
      written.requests.length = 0
      lab.machine.runtime.resync()
      await lab.world.settle()
      await lab.world.advance(15_000)
      const own = written.requests.filter(({ caller }) => caller.user.includes('argocd'))
      expect(own.map(({ verb, resource, name }) => `${verb} ${resource?.resource}/${name}`)).toEqual([])
      const figures = lab.machine.runtime.figures().loops.filter((loop) => loops.includes(loop.name))
      for (const loop of figures)
        expect(loop).toMatchObject({ synced: true, queueDepth: 0, working: [], held: 0, backoff: [] })
      await lab.stop()
    },
    timeoutMs,
  )

  test(
    'end the same with every seed',
    async () => {
      const expected = await expectedEnd()
      for (const seed of [2, 3, 4, 5, 6, 7, 8]) {
        const lab = await startLab({ seed, files, remote })
        await tell(lab, (holds) => lab.until(holds))
        await rest(lab)
        expect([seed, await endState(lab)]).toEqual([seed, expected])
        await lab.stop()
      }
    },
    timeoutMs,
  )

  test.each(loops.flatMap((loop) => orders.map((order) => [loop, order] as const)))(
    '%s may meet at every step that it %j',
    async (loop, order) => {
      const expected = await expectedEnd()
      const observer = new Observer()
      const inspection = new Inspection(observer, invariants, () => lab.world.clock.now())
      const trouble = new StepTrouble({ loop, order, observer, machine: () => lab.machine })
      const lab: Lab = await startLab({ files, remote, observer, wrap: (next) => trouble.wrap(observer.wrap(next)) })
      await lab.until(async () => (await lab.find(Namespace, { name: appNamespace })) !== undefined)
      await tell(lab, (holds) => lab.until(holds, 1_800_000))
      trouble.active = false
      await rest(lab)
      // What these two find out they keep in memory: others read it there.
      const writesNothing = loop === 'repository' || loop === 'orphaned-resources'
      expect([loop, trouble.met.size > 0]).toEqual([loop, !writesNothing])
      expect([loop, trouble.missed]).toEqual([loop, []])
      expect(inspection.violations).toEqual([])
      expect(await endState(lab)).toEqual(expected)
      await lab.stop()
    },
    timeoutMs,
  )

  test.each([1, 2, 3])(
    'converge after lost, repeated, late and reordered watch events, and a resync (seed %i)',
    async (seed) => {
      const expected = await expectedEnd()
      let wrap = (next: ApiHandler): ApiHandler => next
      const lab = await startLab({
        seed,
        files,
        remote,
        wrap: (next) => (request, signal) => wrap(next)(request, signal),
      })
      const fault = watchFaults(lab.world, { lose: 0.1, repeat: 0.1, holdBack: 0.1, breakOff: 0.02, delayMs: 200 })
      wrap = fault.wrap
      await tell(lab, () => lab.world.advance(30_000))
      fault.active = false
      lab.machine.runtime.resync()
      await rest(lab)
      expect(await endState(lab)).toEqual(expected)
      await lab.stop()
    },
    timeoutMs,
  )

  test(
    'back off while their writes fail, and recover',
    async () => {
      const expected = await expectedEnd()
      const attempts = new Map<string, number>()
      const fault = requestFaults((request: ApiRequest) => {
        if (!request.caller.user.includes('argocd') || !isWrite(request) || request.resource?.resource === 'events')
          return false
        const key = `${request.verb} ${request.namespace}/${request.name}`
        attempts.set(key, (attempts.get(key) ?? 0) + 1)
        return true
      })
      fault.active = false
      const lab = await startLab({ files, remote, wrap: fault.wrap })
      await lab.world.advance(1000)
      fault.active = true
      await tell(lab, () => lab.world.advance(30_000))
      for (const [key, count] of attempts) expect([key, count]).toEqual([key, expect.toSatisfy((n: number) => n < 200)])
      fault.active = false
      await rest(lab)
      expect(await endState(lab)).toEqual(expected)
      await lab.stop()
    },
    timeoutMs,
  )
})
