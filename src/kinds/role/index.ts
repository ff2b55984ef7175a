// Role (rbac.authorization.k8s.io/v1).

import { type FieldError, twice } from '../field-error.ts'
import { Role } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { checkRules } from '../rbac/validate.ts'

function validate({ rules }: Role): readonly FieldError[] {
  const errors: FieldError[] = []
  checkRules(rules, true, errors)
  return errors
}

export const roleRules: KindRules<Role> = {
  kind: Role,
  metaOnUpdate: 'mmu',
  generation: 'none',
  nameRule: 'path',
  allowCreateOnUpdate: true,
  validate,
  validateUpdate: (role) => twice(validate(role)),
}
