// What becomes of a role or binding of Kubernetes' own at start (component-helpers/auth/rbac/reconciliation): what is
// missing is added, what somebody added stays, and one that says autoupdate "false" is left alone. Pure.

import type { ClusterRole, ClusterRoleBinding, RbacV1Subject } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { missingRules } from '../rules-cover.ts'

const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'

type RoleLike = AnyObject & Pick<ClusterRole, 'rules' | 'aggregationRule'>
type BindingLike = AnyObject & Pick<ClusterRoleBinding, 'roleRef' | 'subjects'>

/** The object as it shall be stored; the very same one when nothing is missing. */
export function reconciled(existing: AnyObject, expected: AnyObject): AnyObject {
  if (existing.metadata.annotations?.[autoUpdate] === 'false') return existing
  const whole = existing.kind.endsWith('Binding')
    ? withSubjects(existing as BindingLike, expected as BindingLike)
    : withRules(existing as RoleLike, expected as RoleLike)
  return withMarks(whole, expected)
}

/** A role that a binding points to cannot be changed: such a binding is made anew. */
export const pointsElsewhere = (existing: AnyObject, expected: AnyObject): boolean =>
  existing.metadata.annotations?.[autoUpdate] !== 'false' &&
  existing.kind.endsWith('Binding') &&
  !isEqual((existing as BindingLike).roleRef, (expected as BindingLike).roleRef)

function withMarks(object: AnyObject, { metadata: { labels, annotations } }: AnyObject): AnyObject {
  const mine = object.metadata
  const wanted = { labels: { ...labels, ...mine.labels }, annotations: { ...annotations, ...mine.annotations } }
  if (isEqual(wanted.labels, mine.labels) && isEqual(wanted.annotations, mine.annotations)) return object
  return { ...object, metadata: { ...mine, ...wanted } }
}

function withRules(existing: RoleLike, expected: RoleLike): AnyObject {
  const selectors = existing.aggregationRule?.clusterRoleSelectors ?? []
  const missing = (expected.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (wanted) => !selectors.some((selector) => isEqual(selector, wanted)),
  )
  const role =
    missing.length === 0
      ? existing
      : {
          ...existing,
          aggregationRule: { ...existing.aggregationRule, clusterRoleSelectors: [...selectors, ...missing] },
        }
  // The rules of an aggregate are its loop's to write.
  if (expected.aggregationRule !== undefined) return role
  const added = missingRules(existing.rules ?? [], expected.rules ?? [])
  return added.length === 0 ? role : { ...role, rules: [...(existing.rules ?? []), ...added] }
}

function withSubjects(existing: BindingLike, expected: BindingLike): AnyObject {
  const subjects = existing.subjects ?? []
  const isThere = (wanted: RbacV1Subject): boolean => subjects.some((one) => isEqual(one, wanted))
  const missing = (expected.subjects ?? []).filter((wanted) => !isThere(wanted))
  return missing.length === 0 ? existing : { ...existing, subjects: [...subjects, ...missing] }
}
