// ClusterRoleBinding (rbac.authorization.k8s.io/v1).

import { ClusterRoleBinding } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { bindingColumns } from '../rbac/columns.ts'
import { roleRefDefaults, subjectDefaults, validateBinding, validateBindingUpdate } from '../rbac/validate.ts'
import { mapShared, withDefaults } from '../sharing.ts'

const roleDescription =
  'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.'

export const clusterRoleBindingRules: KindRules<ClusterRoleBinding> = {
  kind: ClusterRoleBinding,
  generation: 'none',
  nameRule: 'path',
  allowCreateOnUpdate: true,
  defaults: (binding) =>
    withDefaults(binding, {
      roleRef: binding.roleRef && roleRefDefaults(binding.roleRef),
      subjects: binding.subjects && mapShared(binding.subjects, subjectDefaults),
    }),
  validate: (binding) => validateBinding(binding, false),
  validateUpdate: (binding, old) => validateBindingUpdate(binding, old, false),
  columns: bindingColumns('clusterRoleBinding', roleDescription),
}
