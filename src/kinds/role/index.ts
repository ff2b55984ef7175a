// Role (rbac.authorization.k8s.io/v1).

import type { FieldError } from '../field-error.ts'
import { Role } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { checkRules } from '../rbac/validate.ts'

export const roleRules: KindRules<Role> = {
  kind: Role,
  generation: 'none',
  nameRule: 'path',
  allowCreateOnUpdate: true,
  validate: ({ rules }) => {
    const errors: FieldError[] = []
    checkRules(rules, true, errors)
    return errors
  },
}
