// ClusterRoleBinding (rbac.authorization.k8s.io/v1).

import { ClusterRoleBinding } from '../generated/types.ts'
import { bindingRules } from '../rbac/binding.ts'

export const clusterRoleBindingRules = bindingRules(
  ClusterRoleBinding,
  'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
)
