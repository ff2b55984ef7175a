// The rules that RoleBinding and ClusterRoleBinding share: they differ in scope and in how their role is described.

import type { ClusterRoleBinding, RoleBinding } from '../generated/types.ts'
import type { Kind, KindRules } from '../kind.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { bindingColumns } from './columns.ts'
import { roleRefDefaults, subjectDefaults, validateBinding, validateBindingUpdate } from './validate.ts'

export function bindingRules<T extends RoleBinding | ClusterRoleBinding>(
  kind: Kind<T>,
  roleDescription: string,
): KindRules<T> {
  const { namespaced } = kind
  return {
    kind,
    metaOnUpdate: 'mmu',
    generation: 'none',
    nameRule: 'path',
    allowCreateOnUpdate: true,
    defaults: (binding) =>
      withDefaults<T>(binding, {
        roleRef: binding.roleRef && roleRefDefaults(binding.roleRef),
        subjects: binding.subjects && mapShared(binding.subjects, subjectDefaults),
      } as Partial<T>),
    validate: (binding) => validateBinding(binding, namespaced),
    validateUpdate: (binding, old) => validateBindingUpdate(binding, old, namespaced),
    columns: bindingColumns(namespaced ? 'roleBinding' : 'clusterRoleBinding', roleDescription),
  }
}
