// status of an ApplicationSet: its conditions in Argo CD's words, and its Applications as they are. Pure.

import type { Application, ApplicationSet, ApplicationSetCondition } from '#kinds'
import { formatTime } from '#objects'

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
}

export function statusOf({ set, verdict, owned, now }: StatusInput): NonNullable<ApplicationSet['status']> {
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
    conditions: conditions.map((each) => sinceBefore(set, each, now)),
    resources,
    resourcesCount: resources.length,
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
