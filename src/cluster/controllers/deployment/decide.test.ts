import { describe, expect, it } from 'vitest'
import type { Deployment, DeploymentSpec, ReplicaSet, ReplicaSetStatus } from '#kinds'
import { type Decision, decideRollout } from './decide.ts'
import { decideOld } from './rolling.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

/** A Deployment with its ReplicaSets, whose pods become ready at once, or never (`broken` images). */
class Rollout {
  deployment: Deployment
  sets: ReplicaSet[] = []
  now = start
  readonly log: string[] = []
  #next = 1

  constructor(spec: Partial<DeploymentSpec>) {
    this.deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default', uid: 'd', generation: 1 },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: template('v1'),
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 10,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        ...spec,
      },
    }
  }

  change(spec: Partial<DeploymentSpec>): this {
    const { metadata } = this.deployment
    this.deployment = {
      ...this.deployment,
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...this.deployment.spec, ...spec },
    }
    return this
  }

  decide(): Decision {
    return decideRollout({ deployment: this.deployment, sets: this.sets, oldPodsRun: () => false, now: this.now })
  }

  /** Until nothing changes any more. */
  settle(): this {
    for (let i = 0; i < 100; i++) {
      const decision = this.decide()
      const quiet = decision.create === undefined && decision.update.length === 0 && decision.remove.length === 0
      if (quiet && decision.deployment === this.deployment) return this
      this.#take(decision)
      this.now += 1000
    }
    throw new Error('the rollout does not settle')
  }

  #take(decision: Decision): void {
    if (decision.create !== undefined) {
      const uid = `rs${this.#next++}`
      const { set } = decision.create
      this.sets.push({
        ...set,
        metadata: { ...set.metadata, uid, creationTimestamp: new Date(this.now).toISOString() },
      })
      this.#note(decision.create.event)
    }
    for (const { set, event } of decision.update) {
      this.sets = this.sets.map((old) => (old.metadata.uid === set.metadata.uid ? set : old))
      this.#note(event)
    }
    this.sets = this.sets.filter((set) => !decision.remove.some(({ metadata }) => metadata.uid === set.metadata.uid))
    this.deployment = decision.deployment
    this.sets = this.sets.map((set) => ({ ...set, status: statusOf(set) }))
  }

  #note(event: string | undefined): void {
    if (event !== undefined)
      this.log.push(
        event.replace(/web-\w+/g, (name) => `rs${this.sets.findIndex((set) => set.metadata.name === name) + 1}`),
      )
  }

  sizes(): readonly number[] {
    return this.sets.map((set) => set.spec.replicas ?? 0)
  }

  condition(type: string) {
    const found = this.deployment.status?.conditions?.find((condition) => condition.type === type)
    return [found?.status, found?.reason, found?.message?.replace(/web-\w+/, 'RS')]
  }
}

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image }] },
})

function statusOf(set: ReplicaSet): ReplicaSetStatus {
  const replicas = set.spec.replicas ?? 0
  const broken = set.spec.template?.spec?.containers[0]?.image === 'broken'
  const ready = broken ? {} : { readyReplicas: replicas, availableReplicas: replicas }
  return { replicas, ...ready, observedGeneration: set.metadata.generation ?? 0 }
}

describe('a Deployment', () => {
  it('creates its ReplicaSet at full size and reports success', () => {
    const rollout = new Rollout({}).settle()
    expect(rollout.log).toEqual(['Scaled up replica set rs1 from 0 to 2'])
    expect(rollout.condition('Available')).toEqual([
      'True',
      'MinimumReplicasAvailable',
      'Deployment has minimum availability.',
    ])
    expect(rollout.condition('Progressing')).toEqual([
      'True',
      'NewReplicaSetAvailable',
      'ReplicaSet "RS" has successfully progressed.',
    ])
    expect(rollout.deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' })
    expect(rollout.sets[0]?.metadata.annotations).toEqual({
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '2',
      'deployment.kubernetes.io/max-replicas': '3',
    })
  })

  it.each<readonly [string, Partial<DeploymentSpec>, readonly string[]]>([
    [
      'one at a time without surge',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
      ['rs1 2→1', 'rs2 0→1', 'rs1 1→0', 'rs2 1→2'],
    ],
    [
      'all at once with full surge',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } } },
      ['rs2 0→2', 'rs1 2→0'],
    ],
    ['surge first by default', {}, ['rs2 0→1', 'rs1 2→1', 'rs2 1→2', 'rs1 1→0']],
    ['old pods first with Recreate', { strategy: { type: 'Recreate' } }, ['rs1 2→0', 'rs2 0→2']],
  ])('rolls out %s', (_, spec, steps) => {
    const rollout = new Rollout(spec).settle()
    rollout.log.length = 0
    rollout.change({ template: template('v2') }).settle()
    const short = rollout.log.map((text) =>
      text.replace(/Scaled \w+ replica set (\w+) from (\d+) to (\d+)/, '$1 $2→$3'),
    )
    expect(short).toEqual(steps)
    expect(rollout.deployment.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2')
  })

  it('stops a broken rollout and reports it when the deadline is over', () => {
    const rollout = new Rollout({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    }).settle()
    rollout.change({ template: template('broken') }).settle()
    expect(rollout.sizes()).toEqual([2, 1])
    expect(rollout.condition('Progressing')).toEqual(['True', 'ReplicaSetUpdated', 'ReplicaSet "RS" is progressing.'])
    const recheckAt = rollout.decide().recheckAt ?? 0
    expect(recheckAt - rollout.now).toBeLessThanOrEqual(601_000)
    rollout.now = recheckAt
    rollout.settle()
    expect(rollout.condition('Progressing')).toEqual([
      'False',
      'ProgressDeadlineExceeded',
      'ReplicaSet "RS" has timed out progressing.',
    ])
  })

  it('takes no available pod away by a status that is behind its size', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } as const
    const rollout = new Rollout({ replicas: 4, strategy }).settle().change({ template: template('v2') })
    const sized = (set: ReplicaSet | undefined, replicas: number, availableReplicas: number): ReplicaSet => {
      if (set === undefined) throw new Error('no such ReplicaSet')
      return { ...set, spec: { ...set.spec, replicas }, status: { replicas: availableReplicas, availableReplicas } }
    }
    const newest = sized(rollout.decide().create?.set, 2, 2)
    const [old] = rollout.sets
    const next = (available: number): readonly number[] => {
      rollout.sets = [sized(old, 3, available), newest]
      return rollout.decide().update.map(({ set }) => set.spec.replicas ?? 0)
    }
    expect(next(5)).toEqual([])
    expect(next(3)).toEqual([1])
  })

  it('shares a change of size in the middle of a rollout in proportion', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } as const
    const rollout = new Rollout({ replicas: 4, strategy }).settle()
    rollout.change({ template: template('broken') }).settle()
    expect(rollout.sizes()).toEqual([4, 2])
    rollout.change({ replicas: 8 }).settle()
    expect(rollout.sizes()).toEqual([7, 3])
  })

  it('goes back to an old ReplicaSet and remembers its former revision', () => {
    const rollout = new Rollout({}).settle()
    rollout.change({ template: template('v2') }).settle()
    rollout.change({ template: template('v1') }).settle()
    expect(rollout.sizes()).toEqual([2, 0])
    expect(rollout.sets[0]?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    })
  })

  it('scales but does not roll out while it is paused', () => {
    const rollout = new Rollout({}).settle()
    rollout.change({ paused: true, template: template('v2'), replicas: 3 }).settle()
    expect(rollout.sizes()).toEqual([3])
    expect(rollout.condition('Progressing')).toEqual(['Unknown', 'DeploymentPaused', 'Deployment is paused'])
    rollout.change({ paused: false }).settle()
    expect(rollout.sizes()).toEqual([0, 3])
    expect(rollout.condition('Progressing')[1]).toBe('NewReplicaSetAvailable')
  })

  it('forgets old ReplicaSets beyond the history limit', () => {
    const rollout = new Rollout({ revisionHistoryLimit: 1 }).settle()
    rollout.change({ template: template('v2') }).settle()
    rollout.change({ template: template('v3') }).settle()
    expect(rollout.sets.map((set) => set.spec.template?.spec?.containers[0]?.image)).toEqual(['v2', 'v3'])
  })

  it('copies its annotations and minReadySeconds to the newest ReplicaSet', () => {
    const rollout = new Rollout({}).settle()
    const annotations = { ...rollout.deployment.metadata.annotations, 'example.com/note': 'hi' }
    rollout.deployment = { ...rollout.deployment, metadata: { ...rollout.deployment.metadata, annotations } }
    rollout.change({ minReadySeconds: 1 }).settle()
    expect(rollout.sets[0]?.metadata.annotations?.['example.com/note']).toBe('hi')
    expect(rollout.sets[0]?.spec.minReadySeconds).toBe(1)
  })
})

describe('old ReplicaSets', () => {
  it('lose what is unhealthy first, the oldest of them first, and then what may be missing', () => {
    const { deployment } = new Rollout({ replicas: 4 })
    const set = (name: string, replicas: number, availableReplicas: number): ReplicaSet => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, uid: name, creationTimestamp: `2026-01-01T00:00:0${name}Z` },
      spec: { replicas, selector: {}, template: template(name) },
      status: { replicas, availableReplicas },
    })
    const resizes = decideOld(deployment, set('3', 3, 3), [set('2', 3, 1), set('1', 1, 0)])
    expect(resizes.map(({ set: { metadata }, replicas }) => [metadata.name, replicas])).toEqual([
      ['1', 0],
      ['2', 1],
      ['2', 0],
    ])
  })
})

it('a Deployment that is being deleted still says which revision it has', () => {
  const rollout = new Rollout({}).settle()
  const { metadata } = rollout.deployment
  const going = { deletionTimestamp: '2026-01-01T01:00:00Z', annotations: {}, generation: 2 }
  rollout.deployment = { ...rollout.deployment, metadata: { ...metadata, ...going } }
  const { deployment, update, create } = rollout.decide()
  expect(deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' })
  expect([deployment.status?.observedGeneration, update, create]).toEqual([2, [], undefined])
})
