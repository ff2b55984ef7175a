// ClusterRole (rbac.authorization.k8s.io/v1).

import { type FieldError, required } from '../field-error.ts'
import { ClusterRole } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { checkRules } from '../rbac/validate.ts'
import { checkSelector } from '../selector/validate.ts'

export const clusterRoleRules: KindRules<ClusterRole> = {
  kind: ClusterRole,
  generation: 'none',
  nameRule: 'path',
  allowCreateOnUpdate: true,
  validate: ({ rules, aggregationRule }) => {
    const errors: FieldError[] = []
    checkRules(rules, false, errors)
    if (aggregationRule === undefined) return errors
    const path = 'aggregationRule.clusterRoleSelectors'
    const selectors = aggregationRule.clusterRoleSelectors ?? []
    if (selectors.length === 0)
      errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
    selectors.forEach((selector, i) => {
      checkSelector(selector, `${path}[${i}]`, errors)
    })
    return errors
  },
}
