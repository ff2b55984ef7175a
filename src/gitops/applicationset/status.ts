// status of an ApplicationSet: its conditions in Argo CD's words, and its Applications as they are. Pure.

import type { Application, ApplicationSet, ApplicationSetCondition } from '#kinds'
import { formatTime } from '#objects'
import type { Rollout } from './rollout/rollout.ts'
import { isRolling } from './rollout/steps.ts'

export interface Verdict {
  readonly reason: string
  readonly message: string
  readonly isError: boolean
}

export const upToDate: Verdict = {
  reason: 'ApplicationSetUpToDate',
  message: 'All applications have been generated successfully',
  isError: false,
}

export interface StatusInput {
  readonly set: ApplicationSet
  readonly verdict: Verdict
  readonly owned: readonly Application[]
  readonly now: number
  /** Undefined where nothing new is known of it. */
  readonly rollout: Told | undefined
}

type Told = Pick<Rollout, 'records' | 'conditions'>

export function statusOf({ set, verdict, owned, now, rollout }: StatusInput): NonNullable<ApplicationSet['status']> {
  const { isError, message, reason } = verdict
  const generated = 'Successfully generated parameters for all Applications'
  const conditions = [
    condition(
      'ErrorOccurred',
      isError,
      isError ? { reason, message } : { reason: upToDate.reason, message: generated },
    ),
    condition('ParametersGenerated', !isError, {
      reason: isError ? 'ErrorOccurred' : 'ParametersGenerated',
      message: isError ? message : generated,
    }),
    condition('ResourcesUpToDate', !isError, { reason, message }),
  ]
  const resources = owned
    .map(({ metadata, status }) => ({
      group: 'argoproj.io',
      version: 'v1alpha1',
      kind: 'Application',
      name: metadata.name ?? '',
      namespace: metadata.namespace ?? '',
      ...(status?.sync?.status === undefined ? {} : { status: status.sync.status }),
      ...(status?.health?.status === undefined ? {} : { health: { status: status.health.status } }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    ...rolloutStatus(set, rollout, { conditions, now }),
    resources,
    resourcesCount: resources.length,
  }
}

/** The status with a rollout's news, written before anything is done: what is asked for counts from then on. */
export function withRollout(set: ApplicationSet, rollout: Told, now: number): NonNullable<ApplicationSet['status']> {
  const conditions = (set.status?.conditions ?? []).filter(({ type }) => !rolloutConditions.includes(type))
  return { ...set.status, ...rolloutStatus(set, rollout, { conditions, now }) }
}

const rolloutConditions: readonly string[] = ['RolloutProgressing', 'InvalidRolloutConfig']

function rolloutStatus(
  set: ApplicationSet,
  rollout: Told | undefined,
  { conditions, now }: { readonly conditions: readonly ApplicationSetCondition[]; readonly now: number },
): Pick<NonNullable<ApplicationSet['status']>, 'conditions' | 'applicationStatus'> {
  const before = (set.status?.conditions ?? []).filter(({ type }) => rolloutConditions.includes(type))
  const told = !isRolling(set) ? [] : (rollout?.conditions ?? before)
  const records = isRolling(set) ? (rollout?.records ?? set.status?.applicationStatus) : undefined
  return {
    conditions: [...conditions, ...told].map((each) => sinceBefore(set, each, now)),
    ...(records === undefined || records.length === 0 ? {} : { applicationStatus: records }),
  }
}

const condition = (
  type: string,
  holds: boolean,
  told: { readonly reason: string; readonly message: string },
): ApplicationSetCondition => ({ type, status: holds ? 'True' : 'False', ...told })

/** The time of a condition is that of its last change. */
function sinceBefore({ status }: ApplicationSet, next: ApplicationSetCondition, now: number): ApplicationSetCondition {
  const before = status?.conditions?.find((each) => each.type === next.type)
  const isSame = before?.status === next.status && before.reason === next.reason && before.message === next.message
  return { ...next, lastTransitionTime: (isSame ? before.lastTransitionTime : undefined) ?? formatTime(now) }
}
