// Health of custom resources that have no rule of their own: the kstatus convention of generation and conditions.

import type { AnyObject } from '#objects'
import {
  byCondition,
  degraded,
  findCondition,
  healthy,
  progressing,
  type StatusCondition,
  type Verdict,
} from './verdict.ts'

interface Shape {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly StatusCondition[] }
}

/** kstatus: generation first, then Stalled and Reconciling, then Ready; what says nothing is current. Failures by name are Degraded. */
export function genericHealth(object: AnyObject): Verdict {
  const { status } = object as Shape
  const generation = object.metadata.generation
  const seen = status?.observedGeneration
  if (generation !== undefined && typeof seen === 'number' && seen !== generation) {
    return progressing(
      ['status.observedGeneration', seen, `differs from metadata.generation (${generation})`],
      `${object.kind} generation is ${generation}, but latest observed generation is ${seen}`,
    )
  }
  const conditions = Array.isArray(status?.conditions) ? status.conditions : []
  const stalled = findCondition(conditions, 'Stalled')
  if (stalled?.status === 'True') return degraded(byCondition(stalled, 'the controller has given up'), stalled.message)
  const reconciling = findCondition(conditions, 'Reconciling')
  if (reconciling?.status === 'True')
    return progressing(byCondition(reconciling, 'the controller is at work'), reconciling.message)
  const ready = findCondition(conditions, 'Ready') ?? findCondition(conditions, 'Available')
  if (ready === undefined) return healthy(['status.conditions', undefined, 'nothing says that it is not current'])
  if (ready.status === 'True') return healthy(byCondition(ready, 'ready'), ready.message)
  if (ready.status === 'False' && isFailure(ready.reason))
    return degraded(byCondition(ready, 'not ready, for a reason that waiting will not mend'), ready.message)
  return progressing(byCondition(ready, 'not ready'), ready.message)
}

/** kstatus would call these in progress too; their names say that something must be done. */
const isFailure = (reason = ''): boolean =>
  /^Err|Err(or|ored)?$|Fail(ed|ure)|Invalid|Unreachable|Rejected|NotFound$/.test(reason)
