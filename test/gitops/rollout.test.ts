// RollingSync: an ApplicationSet changes its Applications step by step, through every interruption.

import { afterEach, describe, expect, test } from 'vitest'
import { ApplicationSet, ConfigMap } from '#kinds'
import { recorder } from '../support/faults.ts'
import { configMap, deployment, type Lab, startLab } from './reconciler.ts'

let lab: Lab
const asked = recorder()
afterEach(() => lab.stop())

const merge = { type: 'application/merge-patch+json' } as const
const ref = (name: string) => ({ namespace: 'argocd', name })
const find = () => lab.find(ApplicationSet, ref('set'))
const status = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    ((await find())?.status?.applicationStatus ?? []).map((each) => [each.application, each.status as string]),
  )
const condition = async (type: string) => (await find())?.status?.conditions?.find((each) => each.type === type)

const inStep = (...values: readonly string[]) => ({
  matchExpressions: [{ key: 'env', operator: 'In', values }],
})
const elements = (...names: readonly string[]) => names.map((name) => ({ name, env: name.replace(/\d+$/, '') }))

interface SetParts {
  readonly names: readonly string[]
  readonly steps: readonly object[]
  readonly strategy?: object
  readonly path?: string
  /** Finalizers of its Applications. */
  readonly finalizers?: readonly string[]
}

const specOf = ({ names, steps, strategy = {}, path = '{{.name}}', finalizers = [] }: SetParts) => ({
  goTemplate: true,
  generators: [{ list: { elements: elements(...names) } }],
  strategy: { type: 'RollingSync', rollingSync: { steps }, ...strategy },
  template: {
    metadata: { name: '{{.name}}', labels: { env: '{{.env}}' }, ...(finalizers.length > 0 && { finalizers }) },
    spec: {
      project: 'default',
      source: { repoURL: lab.repo.path, path },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    },
  },
})

const createSet = (parts: SetParts): Promise<unknown> =>
  lab.client.create(ApplicationSet, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd' },
    spec: specOf(parts),
  } as unknown as ApplicationSet)

const isRolledOut = async (): Promise<boolean> => {
  const [revision, records] = [lab.repo.git('rev-parse', 'HEAD'), (await find())?.status?.applicationStatus ?? []]
  return (
    records.length > 0 &&
    records.every((each) => each.status === 'Healthy' && each.targetRevisions[0] === revision) &&
    (await condition('RolloutProgressing'))?.status === 'False'
  )
}

/** Names of applications in the order in which their syncs were asked for until `isOver`. */
async function order(isOver: () => Promise<boolean>): Promise<readonly string[]> {
  asked.requests.length = 0
  await lab.until(isOver)
  return asked.requests.flatMap(({ verb, name, body, caller }) => {
    const isOurs = caller.user.endsWith('argocd-applicationset-controller') && verb === 'update'
    const asks = body?.type === 'object' && typeof body.object === 'object' && 'operation' in { ...body.object }
    return isOurs && asks ? [name ?? ''] : []
  })
}

describe('RollingSync', () => {
  test('syncs step after step, each when all before it are healthy', async () => {
    const files = { 'dev/x.yaml': deployment('dev'), 'prod1/x.yaml': deployment('a'), 'prod2/x.yaml': deployment('b') }
    lab = await startLab({ wrap: asked.wrap, files, instant: false })
    await createSet({ names: ['prod1', 'prod2', 'dev'], steps: [inStep('dev'), inStep('prod')] })
    await lab.until(async () => (await status())['dev'] === 'Progressing')
    expect(await status()).toEqual({ dev: 'Progressing', prod1: 'Waiting', prod2: 'Waiting' })
    expect(await condition('RolloutProgressing')).toMatchObject({
      status: 'True',
      reason: 'ApplicationSetModified',
      message: 'ApplicationSet is performing rollout of step 1',
    })
    await lab.until(isRolledOut)
    const dev = await lab.app('dev')
    const prod = await lab.app('prod1')
    expect(dev?.spec.syncPolicy?.automated).toEqual({ prune: true, selfHeal: true, enabled: false })
    expect(dev?.status?.operationState?.operation).toEqual({
      sync: { syncOptions: ['CreateNamespace=true'], prune: true },
      initiatedBy: { username: 'applicationset-controller', automated: true },
      info: [{ name: 'Reason', value: 'ApplicationSet RollingSync triggered a sync of this Application resource' }],
      retry: { limit: 5 },
    })
    const healthyAt = dev?.status?.health?.lastTransitionTime ?? ''
    expect((prod?.status?.operationState?.startedAt ?? '') >= healthyAt).toBe(true)
    expect((await find())?.status?.applicationStatus?.[0]).toEqual({
      application: 'dev',
      lastTransitionTime: expect.any(String),
      message: 'Application resource became Healthy, updating status from Progressing to Healthy',
      status: 'Healthy',
      step: '1',
      targetRevisions: [lab.repo.git('rev-parse', 'HEAD')],
    })
    expect(await condition('InvalidRolloutConfig')).toMatchObject({
      status: 'False',
      message: 'Rolling Sync Configured correctly',
    })
  })

  test.each([1, 2])('a commit goes out in the same order, whoever hears of it first (seed %i)', async (seed) => {
    lab = await startLab({
      seed,
      wrap: asked.wrap,
      files: { 'web/x.yaml': configMap('web', '1'), 'api/x.yaml': configMap('api', '1') },
    })
    await createSet({ names: ['web', 'api'], steps: [inStep('web'), inStep('api')] })
    await lab.until(isRolledOut)
    await lab.commit({ 'web/x.yaml': configMap('web', '2'), 'api/x.yaml': configMap('api', '2') })
    expect(await order(isRolledOut)).toEqual(['web', 'api'])
    await lab.commit({ 'README.md': 'read me' })
    expect(await order(isRolledOut)).toEqual([])
    expect((await find())?.status?.applicationStatus?.[0]?.message).toBe(
      'Application resource has synced, updating status to Healthy',
    )
  })

  test('a step that does not become healthy holds the ones after it, until it is mended', async () => {
    lab = await startLab({
      wrap: asked.wrap,
      files: { 'dev/x.yaml': deployment('dev'), 'prod/x.yaml': configMap('prod', '1') },
    })
    await createSet({ names: ['dev', 'prod'], steps: [inStep('dev'), inStep('prod')] })
    await lab.until(isRolledOut)
    await lab.commit({ 'dev/x.yaml': deployment('dev', { replicas: -1 }), 'prod/x.yaml': configMap('prod', '2') })
    await lab.until(async () => (await status())['dev'] === 'Progressing')
    await lab.world.advance(60_000)
    expect(await status()).toEqual({ dev: 'Progressing', prod: 'Waiting' })
    await lab.commit({ 'dev/x.yaml': deployment('dev', { replicas: 2 }) })
    await lab.until(isRolledOut)
    expect((await lab.app('prod'))?.status?.sync?.status).toBe('Synced')
  })

  test('maxUpdate bounds how many are updated together; 0 waits for people', async () => {
    const names = ['dev1', 'dev2', 'dev3', 'dev4', 'prod']
    const files = Object.fromEntries(names.map((name) => [`${name}/x.yaml`, deployment(name)]))
    lab = await startLab({ wrap: asked.wrap, files, instant: false })
    await createSet({
      names,
      steps: [
        { ...inStep('dev'), maxUpdate: '50%' },
        { ...inStep('prod'), maxUpdate: 0 },
      ],
    })
    let most = 0
    await lab.until(async () => {
      const now = Object.entries(await status())
      most = Math.max(most, now.filter(([, each]) => each === 'Pending' || each === 'Progressing').length)
      return now.length === 5 && now.filter(([, each]) => each === 'Healthy').length === 4
    })
    expect(most).toBe(2)
    await lab.world.advance(60_000)
    expect((await status())['prod']).toBe('Waiting')
    await lab.sync('prod')
    await lab.until(isRolledOut)
  })

  test('a changed template goes out step by step too', async () => {
    lab = await startLab({
      wrap: asked.wrap,
      files: {
        'web/x.yaml': configMap('web', '1'),
        'api/x.yaml': configMap('api', '1'),
        'next/web/x.yaml': configMap('web', '2'),
        'next/api/x.yaml': configMap('api', '2'),
      },
    })
    const steps = [inStep('web'), inStep('api')]
    await createSet({ names: ['web', 'api'], steps })
    await lab.until(isRolledOut)
    const spec = specOf({ names: ['web', 'api'], steps, path: 'next/{{.name}}' })
    await lab.client.patch(ApplicationSet, ref('set'), { spec } as object, merge)
    await lab.until(async () => !(await isRolledOut()))
    expect(
      await order(async () => (await isRolledOut()) && (await lab.app('api'))?.status?.sync?.status === 'Synced'),
    ).toEqual(['web', 'api'])
    expect((await lab.app('api'))?.spec.source?.path).toBe('next/api')
  })

  test('goes on after the loop died at any moment', async () => {
    const files = { 'dev/x.yaml': deployment('dev'), 'prod/x.yaml': deployment('prod') }
    lab = await startLab({ wrap: asked.wrap, files, instant: false })
    await createSet({ names: ['dev', 'prod'], steps: [inStep('dev'), inStep('prod')] })
    for (let round = 0; round < 40 && !(await isRolledOut()); round++) {
      lab.machine.runtime.restartLoop('applicationset-controller')
      await lab.world.advance(700)
    }
    await lab.until(isRolledOut)
    await lab.commit({
      'dev/x.yaml': deployment('dev', { replicas: 2 }),
      'prod/x.yaml': deployment('prod', { replicas: 2 }),
    })
    const syncs = await order(async () => {
      lab.machine.runtime.restartLoop('applicationset-controller')
      return isRolledOut()
    })
    expect(syncs).toEqual(['dev', 'prod'])
  })

  test('what is wrong with the steps is told', async () => {
    lab = await startLab({ wrap: asked.wrap, files: { 'dev/x.yaml': configMap('dev', '1') } })
    await createSet({ names: ['dev'], steps: [{ ...inStep('dev'), maxUpdate: 'many' }, inStep('dev', 'qa')] })
    await lab.until(isRolledOut)
    expect(await condition('InvalidRolloutConfig')).toMatchObject({
      status: 'True',
      reason: 'ApplicationSetInvalidRolloutConfig',
      message: "Application 'dev' is selected by multiple steps: (1-2)",
    })
    await lab.client.patch(ApplicationSet, ref('set'), { spec: { strategy: { rollingSync: { steps: [] } } } }, merge)
    await lab.until(async () => (await condition('ErrorOccurred'))?.message === 'No steps defined for rollout')
    await lab.client.patch(ApplicationSet, ref('set'), { spec: { strategy: { type: 'AllAtOnce' } } }, merge)
    await lab.until(async () => (await find())?.status?.applicationStatus === undefined)
    expect(await condition('RolloutProgressing')).toBeUndefined()
    await lab.until(async () => (await lab.app('dev'))?.spec.syncPolicy?.automated?.enabled === undefined)
  })

  test('deletionOrder Reverse: the last step goes first, and the set last', async () => {
    lab = await startLab({
      wrap: asked.wrap,
      files: { 'dev/x.yaml': configMap('dev', '1'), 'prod/x.yaml': configMap('prod', '1') },
    })
    const strategy = { deletionOrder: 'Reverse' }
    const finalizers = ['resources-finalizer.argocd.argoproj.io']
    await createSet({ names: ['dev', 'prod'], steps: [inStep('dev'), inStep('prod')], strategy, finalizers })
    await lab.until(isRolledOut)
    expect((await find())?.metadata.finalizers).toEqual(['resources-finalizer.argocd.argoproj.io'])
    const held = { namespace: 'shop', name: 'prod' }
    await lab.client.patch(ConfigMap, held, { metadata: { finalizers: ['example.com/hold'] } }, merge)
    await lab.client.delete(ApplicationSet, ref('set'))
    await lab.until(async () => (await lab.app('prod'))?.metadata.deletionTimestamp !== undefined)
    await lab.world.advance(60_000)
    expect((await lab.app('dev'))?.metadata.deletionTimestamp).toBeUndefined()
    await lab.client.patch(ConfigMap, held, { metadata: { finalizers: null } }, merge)
    await lab.until(async () => (await lab.app('dev')) === undefined)
    await lab.until(async () => (await find()) === undefined)
  })
})
