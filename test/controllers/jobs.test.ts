// Jobs and CronJobs over a real API server.
import { describe, expect, it } from 'vitest'
import type { ApiHandler } from '#api'
import { CronJob, Job, Pod } from '#kinds'
import { requestFaults } from '../support/faults.ts'
import { job } from '../support/manifests.ts'
import { type Cluster, merge, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'work' }

const work = (spec: Partial<Job['spec']>, command: readonly string[] = ['exit 0']): Job => {
  const base = job('work', 1)
  const template = {
    spec: { restartPolicy: 'Never' as const, containers: [{ name: 'app', image: 'task:1', command }] },
  }
  return { ...base, spec: { completions: 1, parallelism: 1, template, ...spec } }
}

async function ended(cluster: Cluster): Promise<Job> {
  const isEnd = ({ status }: Job): boolean =>
    status?.conditions?.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True') ===
    true
  await cluster.until(async () => isEnd(await cluster.client.get(Job, ref)), { limitMs: 1_800_000 })
  return cluster.client.get(Job, ref)
}

const reasons = ({ status }: Job) => status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)

describe('a Job', () => {
  it.each([1, 2, 3])('runs its pods and counts each once (seed %i)', async (seed) => {
    const cluster = await startCluster({ seed })
    await cluster.client.create(Job, work({ completions: 5, parallelism: 2 }))
    const done = await ended(cluster)
    expect(done.status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} })
    expect(reasons(done)).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached'])
    expect(await cluster.pods()).toHaveLength(5)
    expect((await cluster.pods()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([])
    expect((await cluster.events('Job')).at(-1)).toBe('Completed: Job completed')
    await cluster.stop()
  })

  it('looks at what happens to its pods once a second', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Job, work({ completions: 3, parallelism: 1 }))
    await ended(cluster)
    const pods = await cluster.pods()
    const starts = pods.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')).sort()
    // They end as soon as they start: each waits for the second of the one before.
    const gaps = starts.slice(1).map((at, i) => at - (starts[i] ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(1000)
    await cluster.stop()
  })

  it('fails when its pods fail too often', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Job, work({ backoffLimit: 1 }, ['exit 3']))
    const done = await ended(cluster)
    expect(done.status).toMatchObject({ failed: 2, uncountedTerminatedPods: {} })
    expect(reasons(done)).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded'])
    const [first, second] = (await cluster.pods())
      .map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ''))
      .sort()
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(10_000)
    await cluster.stop()
  })

  it('gives every index its pod, and ends with the failed indexes', async () => {
    const cluster = await startCluster()
    const spec = { completions: 3, parallelism: 3, completionMode: 'Indexed', backoffLimitPerIndex: 0 } as const
    await cluster.client.create(Job, work(spec, ['exit 1']))
    const done = await ended(cluster)
    expect(done.status?.failedIndexes).toBe('0-2')
    expect(reasons(done)).toContain('Failed FailedIndexes')
    expect((await cluster.pods()).map(({ spec: of }) => of.hostname).sort()).toEqual(['work-0', 'work-1', 'work-2'])
    await cluster.stop()
  })

  it('stops at its deadline', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Job, work({ activeDeadlineSeconds: 30 }, ['wait']))
    const done = await ended(cluster)
    expect(reasons(done)).toContain('Failed DeadlineExceeded')
    await cluster.until(async () => (await cluster.pods()).length === 0)
    await cluster.stop()
  })

  it('can be suspended and resumed', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Job, work({ suspend: true }))
    await cluster.world.advance(5000)
    expect((await cluster.client.get(Job, ref)).status?.startTime).toBeUndefined()
    await cluster.client.patch(Job, ref, { spec: { suspend: false } }, merge)
    const done = await ended(cluster)
    expect(done.status?.conditions?.find(({ type }) => type === 'Suspended')).toMatchObject({
      status: 'False',
      reason: 'JobResumed',
    })
    await cluster.stop()
  })

  it('can be suspended while it runs, and begins anew', async () => {
    const cluster = await startCluster()
    const runs = async () => (await cluster.pods()).filter(({ status }) => status?.phase === 'Running').length
    await cluster.client.create(Job, work({ completions: 2, parallelism: 2 }, ['wait']))
    await cluster.until(async () => (await runs()) === 2)
    const first = (await cluster.client.get(Job, ref)).status?.startTime
    await cluster.client.patch(Job, ref, { spec: { suspend: true } }, merge)
    await cluster.until(async () => (await cluster.pods()).length === 0)
    await cluster.world.advance(5000)
    await cluster.client.patch(Job, ref, { spec: { suspend: false } }, merge)
    await cluster.until(async () => (await runs()) === 2)
    const { status } = await cluster.client.get(Job, ref)
    expect(status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      'Suspended False JobResumed',
    ])
    expect(status?.startTime).not.toBe(first)
    expect((await cluster.events('Job')).filter((text) => text.startsWith('Resumed'))).toHaveLength(1)
    await cluster.stop()
  })

  it('says of no more pods that they are ready than that they are active, though a deletion fails', async () => {
    let spared = ''
    const fault = requestFaults(({ verb, name }) => verb === 'delete' && name === spared)
    const refused: unknown[] = []
    const wrap = (next: ApiHandler): ApiHandler => {
      const inner = fault.wrap(next)
      return async (request, signal) => {
        const response = await inner(request, signal)
        if (request.resource?.resource === 'jobs' && response.status === 422) refused.push(response.body)
        return response
      }
    }
    const cluster = await startCluster({ wrap })
    await cluster.client.create(Job, work({ completions: 2, parallelism: 2 }, ['wait']))
    const status = async () => (await cluster.client.get(Job, ref)).status
    await cluster.until(async () => (await status())?.ready === 2)
    spared = (await cluster.pods())[0]?.metadata.name ?? ''
    await cluster.client.patch(Job, ref, { spec: { suspend: true } }, merge)
    await cluster.until(async () => (await status())?.active === 1)
    fault.active = false
    await cluster.until(async () => (await cluster.pods()).length === 0 && (await status())?.active === undefined)
    expect(refused).toEqual([])
    await cluster.stop()
  })

  it('goes after its time to live, with its pods', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Job, work({ ttlSecondsAfterFinished: 60 }))
    await ended(cluster)
    await cluster.world.advance(50_000)
    expect(await cluster.find(Job, ref)).toBeDefined()
    await cluster.until(async () => (await cluster.find(Job, ref)) === undefined && (await cluster.pods()).length === 0)
    await cluster.stop()
  })

  it('lets its pods go when it is deleted while they run', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Job, work({ completions: 2, parallelism: 2 }, ['wait']))
    await cluster.until(
      async () => (await cluster.pods()).filter(({ status }) => status?.phase === 'Running').length === 2,
    )
    await cluster.client.delete(Job, ref, { propagationPolicy: 'Background' })
    await cluster.until(async () => (await cluster.client.list(Pod, { namespace: 'default' })).items.length === 0)
    await cluster.stop()
  })

  it('waits after a failure even when the failed pod is gone', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Job, work({}, ['exit 1']))
    const gaps: number[] = []
    for (let failures = 1; failures <= 3; failures++) {
      await cluster.until(async () => (await cluster.client.get(Job, ref)).status?.failed === failures)
      const [failed] = await cluster.pods()
      const at = failed?.status?.containerStatuses?.[0]?.state?.terminated?.finishedAt
      await cluster.client.delete(Pod, { namespace: 'default', name: failed?.metadata.name ?? '' })
      await cluster.until(async () => (await cluster.pods()).length === 0)
      await cluster.until(async () => (await cluster.pods()).length === 1)
      gaps.push(Math.floor((cluster.world.clock.now() - Date.parse(at ?? '')) / 1000))
    }
    expect(gaps).toEqual([10, 20, 40])
    await cluster.stop()
  })

  it('is suspended though one of its pods cannot be let go', async () => {
    let held = ''
    const fault = requestFaults(({ verb, name }) => verb === 'patch' && name === held)
    const cluster = await startCluster({ wrap: fault.wrap })
    await cluster.client.create(Job, work({ completions: 2, parallelism: 2 }, ['wait']))
    const status = async () => (await cluster.client.get(Job, ref)).status
    await cluster.until(async () => (await status())?.ready === 2)
    held = (await cluster.pods())[0]?.metadata.name ?? ''
    await cluster.client.patch(Job, ref, { spec: { suspend: true } }, merge)
    await cluster.until(async () => (await status())?.active === 1)
    expect((await status())?.conditions?.map(({ type, status: is }) => `${type} ${is}`)).toEqual(['Suspended True'])
    expect((await cluster.events('Job')).filter((text) => text.startsWith('Suspended'))).toHaveLength(1)
    fault.active = false
    await cluster.until(async () => (await cluster.pods()).length === 0)
    await cluster.stop()
  })

  it.each<readonly [string, object]>([
    ['of another kind', { apiVersion: 'apps/v1', kind: 'ReplicaSet' }],
    ['of another group', { apiVersion: 'batch.example.org/v1', kind: 'Job' }],
  ])('leaves the finalizer to an owner %s', async (_, owner) => {
    const cluster = await startCluster()
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'theirs',
        namespace: 'default',
        finalizers: ['batch.kubernetes.io/job-tracking'],
        ownerReferences: [{ apiVersion: '', kind: '', ...owner, name: 'work', uid: 'u', controller: true }],
      },
      spec: { containers: [{ name: 'app', image: 'task:1', command: ['wait'] }] },
    }
    await cluster.client.create(Pod, pod)
    await cluster.client.create(Pod, { ...pod, metadata: { ...pod.metadata, name: 'nobodys', ownerReferences: [] } })
    const finalizers = async (name: string) =>
      (await cluster.find(Pod, { namespace: 'default', name }))?.metadata.finalizers ?? []
    await cluster.until(async () => (await finalizers('nobodys')).length === 0)
    expect(await finalizers('theirs')).toHaveLength(1)
    await cluster.stop()
  })

  it('leaves the finalizer to another controller that it is managed by', async () => {
    const cluster = await startCluster()
    const managedBy = 'example.org/other'
    const { metadata } = await cluster.client.create(Job, work({ managedBy }))
    const { template } = work({}).spec
    const labels = { app: 'theirs' }
    await cluster.client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'theirs',
        namespace: 'default',
        labels,
        finalizers: ['batch.kubernetes.io/job-tracking'],
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid: metadata.uid ?? '', controller: true },
        ],
      },
      spec: template.spec ?? { containers: [] },
    })
    const now = new Date(cluster.world.clock.now()).toISOString().replace(/\.\d+/, '')
    const condition = (type: string) => ({ type, status: 'True', lastProbeTime: now, lastTransitionTime: now })
    const live = await cluster.client.get(Job, ref)
    const status = { startTime: now, completionTime: now, succeeded: 1 }
    await cluster.client.updateStatus(Job, {
      ...live,
      status: { ...status, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] },
    })
    await cluster.world.advance(30_000)
    const [pod] = await cluster.pods('app=theirs')
    expect(pod?.metadata.finalizers).toHaveLength(1)
    expect((await cluster.client.get(Job, ref)).status).toMatchObject(status)
    await cluster.stop()
  })
})

describe('a CronJob', () => {
  it('starts a Job every minute and keeps the last three', async () => {
    const cluster = await startCluster()
    await cluster.client.create(CronJob, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'tick', namespace: 'default' },
      spec: { schedule: '* * * * *', jobTemplate: { spec: work({}).spec } },
    })
    await cluster.world.advance(6 * 60_000 + 30_000)
    const { items } = await cluster.client.list(Job, { namespace: 'default' })
    expect(items).toHaveLength(3)
    expect(items.every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'CronJob')).toBe(true)
    const { status } = await cluster.client.get(CronJob, { namespace: 'default', name: 'tick' })
    expect(status?.active).toBeUndefined()
    expect(status?.lastScheduleTime).toMatch(/^2026-01-01T00:0[67]:00Z$/)
    await cluster.stop()
  })

  it('writes down what became of its Jobs though it cannot start another', async () => {
    const fault = requestFaults(({ verb, resource }) => verb === 'create' && resource?.resource === 'jobs')
    fault.active = false
    const cluster = await startCluster({ wrap: fault.wrap })
    await cluster.client.create(CronJob, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'tick', namespace: 'default' },
      spec: { schedule: '* * * * *', concurrencyPolicy: 'Replace', jobTemplate: { spec: work({}, ['wait']).spec } },
    })
    const status = async () => (await cluster.client.get(CronJob, { namespace: 'default', name: 'tick' })).status
    await cluster.until(async () => (await status())?.active?.length === 1)
    fault.active = true
    await cluster.world.advance(61_000)
    expect((await cluster.client.list(Job, { namespace: 'default' })).items).toEqual([])
    expect((await status())?.active).toBeUndefined()
    const told = (await cluster.events('CronJob')).map((text) => text.replace(/tick-\d+/, 'tick-N'))
    expect(told).toContain('SuccessfulDelete: Deleted job tick-N')
    expect(told.filter((text) => text.startsWith('FailedCreate'))).not.toEqual([])
    expect(told.filter((text) => text.startsWith('MissingJob'))).toEqual([])
    fault.active = false
    await cluster.until(async () => (await status())?.active?.length === 1)
    await cluster.stop()
  })

  it('that gets another schedule waits for its next time, whatever has passed', async () => {
    const cluster = await startCluster()
    const ref = { namespace: 'default', name: 'tick' }
    await cluster.client.create(CronJob, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: ref,
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job('x', 1).spec } },
    })
    const jobs = async () => (await cluster.client.list(Job, { namespace: 'default' })).items.length
    await cluster.world.advance(600_000 - (cluster.world.clock.now() % 60_000))
    await cluster.client.patch(CronJob, ref, { spec: { schedule: '* * * * *' } }, merge)
    await cluster.world.advance(50_000)
    expect(await jobs()).toBe(0)
    await cluster.world.advance(20_000)
    expect(await jobs()).toBe(1)
    await cluster.stop()
  })
})
