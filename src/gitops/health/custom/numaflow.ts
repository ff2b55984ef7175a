// Numaflow's pipelines and their parts (numaflow.numaproj.io), and Numaplane's rollouts of them (numaplane.numaproj.io):
// nothing is believed before the generation has been observed.

import type { AnyObject } from '#objects'
import {
  byCondition,
  degraded,
  type HealthRule,
  healthy,
  progressing,
  type StatusCondition,
  unknown,
  type Verdict,
} from '../verdict.ts'
import type { RuleTable } from './rule.ts'

interface Shape {
  readonly status?: {
    readonly observedGeneration?: number
    readonly phase?: string
    readonly message?: string
    readonly upgradeInProgress?: string
    readonly conditions?: readonly StatusCondition[]
  }
}

const progressiveResult = 'numaplane.numaproj.io/progressive-result-state'

interface Part {
  /** What counts as paused, which is healthy. */
  readonly paused?: readonly string[]
  /** What is said of a failed condition; absent: its own message. */
  readonly unhealthy?: string
  /** Whether Numaplane upgrades it progressively, and marks it when that failed. */
  readonly isUpgraded: boolean
}

const part =
  ({ paused = [], unhealthy, isUpgraded }: Part): HealthRule =>
  (object) => {
    const { kind } = object
    const { status } = object as Shape
    const waiting = `Waiting for ${kind} status`
    if (status === undefined) return progressing(['status', undefined, 'not observed yet'], waiting)
    if (status.observedGeneration !== object.metadata.generation) return behind(object, waiting)
    const { phase = '' } = status
    const proof = (rule: string) => ['status.phase', phase, rule] as const
    if (phase === 'Failed') return degraded(proof('failed'), status.message)
    if (isUpgraded && object.metadata.labels?.[progressiveResult] === 'failed')
      return degraded(
        [`metadata.labels[${progressiveResult}]`, 'failed', 'the upgrade failed'],
        'Failed progressive upgrade',
      )
    const failed = (status.conditions ?? []).filter((condition) => condition.status === 'False').at(-1)
    if (failed !== undefined) return degraded(byCondition(failed, 'failed'), unhealthy ?? failed.message)
    if (paused.includes(phase)) return healthy(proof('paused by the user'), `${kind} is paused`)
    return phase === 'Running'
      ? healthy(proof('running'), `${kind} is healthy`)
      : progressing(proof('not running yet'), waiting)
  }

const behind = (object: AnyObject, message: string): Verdict =>
  progressing(
    [
      'status.observedGeneration',
      (object as Shape).status?.observedGeneration,
      `differs from metadata.generation (${object.metadata.generation})`,
    ],
    message,
  )

interface Rollout {
  /** Reason of ChildResourcesHealthy when the child failed; absent: any but Progressing. */
  readonly failed?: string
  /** Condition that is True while the child is paused. */
  readonly paused?: string
  /** As in `Unknown … status`. */
  readonly noun?: string
}

const children = 'ChildResourcesHealthy'

const rollout =
  ({ failed, paused, noun }: Rollout): HealthRule =>
  (object) => {
    const { status } = object as Shape
    if (status === undefined) return progressing(['status', undefined, 'not observed yet'], 'Not yet reconciled')
    if (status.observedGeneration !== object.metadata.generation) return behind(object, 'Not yet reconciled')
    const conditions = status.conditions ?? []
    const find = (type: string, value: string) => conditions.find((each) => each.type === type && each.status === value)
    const upgrade = failed === undefined ? undefined : find('ProgressiveUpgradeSucceeded', 'False')
    const isUpdating = (status.upgradeInProgress ?? '') !== '' || status.phase === 'Pending'
    if (isUpdating && upgrade === undefined)
      return progressing(
        ['status.upgradeInProgress', status.upgradeInProgress, 'or the phase is Pending'],
        'Update in progress',
      )
    const unhealthy = conditions.filter((each) => each.type === children && each.status === 'False')
    const moving = unhealthy.find((each) => each.reason === 'Progressing')
    if (moving !== undefined) return progressing(byCondition(moving, 'the child is at work'), 'Child Progressing')
    if (status.phase === 'Failed') return degraded(['status.phase', status.phase, 'failed'], status.message)
    const broken = conditions.find(
      (each) => each === upgrade || (unhealthy.includes(each) && (failed === undefined || each.reason === failed)),
    )
    if (broken !== undefined)
      return degraded(byCondition(broken, 'failed'), broken === upgrade ? 'Progressive upgrade failed' : broken.message)
    const stopped = paused === undefined ? undefined : find(paused, 'True')
    if (stopped !== undefined) return healthy(byCondition(stopped, 'paused by the user'), stopped.message)
    const well = find(children, 'True')
    if (well !== undefined) return healthy(byCondition(well, 'the child is healthy'), 'Healthy')
    return unknown(
      ['status.conditions', undefined, 'says nothing of the child'],
      noun === undefined ? 'Unknown status' : `Unknown ${noun} status`,
    )
  }

const unhealthy = 'Subresources are unhealthy'

export const numaflowTable: RuleTable = {
  'numaflow.numaproj.io/InterStepBufferService': part({ isUpgraded: true }),
  'numaflow.numaproj.io/MonoVertex': part({ paused: ['Paused'], unhealthy, isUpgraded: true }),
  'numaflow.numaproj.io/Pipeline': part({ paused: ['Paused', 'Pausing'], unhealthy, isUpgraded: true }),
  'numaflow.numaproj.io/Vertex': part({ paused: ['Paused'], isUpgraded: false }),
  'numaplane.numaproj.io/ISBServiceRollout': rollout({ failed: 'ISBSvcFailed' }),
  'numaplane.numaproj.io/MonoVertexRollout': rollout({
    failed: 'MonoVertexFailed',
    paused: 'MonoVertexPausingOrPaused',
    noun: 'MonoVertex',
  }),
  'numaplane.numaproj.io/NumaflowControllerRollout': rollout({}),
  'numaplane.numaproj.io/PipelineRollout': rollout({
    failed: 'PipelineFailed',
    paused: 'PipelinePausingOrPaused',
    noun: 'Pipeline',
  }),
}
