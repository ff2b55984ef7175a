// Health in a cluster that runs no operators. A custom resource that nobody will ever report on would be waited for without
// end, and its application with it: while it has no status at all, it is what was asked for.

import { type AnyObject, groupOf } from '#objects'
import { customRule } from './custom/index.ts'
import { healthOf } from './health.ts'
import { deletionField, healthy, type Verdict } from './verdict.ts'

/** Sets of applications have a controller here. */
const attended: ReadonlySet<string> = new Set(['argoproj.io/ApplicationSet'])

/** What `healthOf` says, but that a custom resource of which only its controller could say more is Healthy. */
export function healthWithoutOperators(object: AnyObject): Verdict | undefined {
  const verdict = healthOf(object)
  if (verdict === undefined || verdict.status === 'Healthy' || verdict.status === 'Suspended') return verdict
  if (verdict.proof.field === deletionField || (object.status ?? undefined) !== undefined) return verdict
  const group = groupOf(object.apiVersion)
  if (attended.has(`${group}/${object.kind}`) || customRule(group, object.kind) === undefined) return verdict
  return healthy(['status', undefined, 'nobody writes it here'], 'no controller in this cluster reports on it')
}
