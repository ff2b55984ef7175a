// RoleBinding (rbac.authorization.k8s.io/v1).

import { RoleBinding } from '../generated/types.ts'
import { bindingRules } from '../rbac/binding.ts'

export const roleBindingRules = bindingRules(
  RoleBinding,
  'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
)
