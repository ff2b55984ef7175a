// ClusterRole (rbac.authorization.k8s.io/v1).

import { type FieldError, invalid, required, twice } from '../field-error.ts'
import { ClusterRole } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { checkRules } from '../rbac/validate.ts'
import { checkSelector } from '../selector/validate.ts'

function validate({ rules, aggregationRule }: ClusterRole): readonly FieldError[] {
  const errors: FieldError[] = []
  checkRules(rules, false, errors)
  if (aggregationRule === undefined) return errors
  const path = 'aggregationRule.clusterRoleSelectors'
  const selectors = aggregationRule.clusterRoleSelectors ?? []
  if (selectors.length === 0)
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  selectors.forEach((selector, i) => {
    const before = errors.length
    checkSelector(selector, `${path}[${i}]`, errors)
    if (errors.length > before) errors.push(invalid(`${path}[${i}]`, null, 'invalid label selector.'))
  })
  return errors
}

export const clusterRoleRules: KindRules<ClusterRole> = {
  kind: ClusterRole,
  metaOnUpdate: 'mmu',
  generation: 'none',
  nameRule: 'path',
  allowCreateOnUpdate: true,
  validate,
  validateUpdate: (role) => twice(validate(role)),
}
