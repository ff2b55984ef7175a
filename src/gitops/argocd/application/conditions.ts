// status.conditions of an Application: what is wrong with it or worth a warning, by Argo CD's types. Pure.

import type { ApplicationCondition } from '#kinds'
import { formatTime } from '#objects'

export type ConditionType =
  | 'InvalidSpecError'
  | 'ComparisonError'
  | 'SyncError'
  | 'DeletionError'
  | 'UnknownError'
  | 'SharedResourceWarning'
  | 'RepeatedResourceWarning'
  | 'ExcludedResourceWarning'
  | 'OrphanedResourceWarning'
  /** Our own: the repository cannot be reached, and its last good state is shown. */
  | 'RepositoryWarning'
  /** Our own: the cluster would not take what git says of an object. */
  | 'RefusedResourceWarning'
  /** Our own: something in argocd-cm that says how objects are judged does not work. */
  | 'CustomizationWarning'
  /** Our own: an automated sync is due and has to wait for its window. */
  | 'SyncWindowWarning'
  /** Our own: it is kept at a revision that somebody named. */
  | 'PinnedWarning'
  /** Our own: an automated sync is due and waits for other applications. */
  | 'DependencyWarning'
  /** Our own: it was rendered, but perhaps not as it was meant. */
  | 'RenderWarning'

export interface Finding {
  readonly type: ConditionType
  readonly message: string
}

export const isError = (finding: { readonly type: string }): boolean => finding.type.endsWith('Error')

/** The conditions for these findings; those that were there before keep the time when they began. */
export function mergeConditions(
  before: readonly ApplicationCondition[] | undefined,
  findings: readonly Finding[],
  now: number,
): readonly ApplicationCondition[] {
  const merged: ApplicationCondition[] = []
  for (const { type, message } of findings) {
    if (merged.some((each) => each.type === type && each.message === message)) continue
    const same = before?.find((each) => each.type === type && each.message === message)
    // A text that was reworded while its kind of trouble went on (another line of the same broken file) began earlier.
    const earlier = before?.filter((each) => each.type === type) ?? []
    const began =
      same ??
      (findings.filter((each) => each.type === type).length === 1 && earlier.length === 1 ? earlier[0] : undefined)
    merged.push({ type, message, lastTransitionTime: began?.lastTransitionTime ?? formatTime(now) })
  }
  return merged
}

/** One line for all errors, as Argo CD words it. */
export const errorText = (findings: readonly Finding[]): string =>
  findings
    .filter(isError)
    .map(({ type, message }) => `${type}: ${message}`)
    .join(';')
