// In whose name loops speak: Kubernetes' own users, groups and user agents.

import type { Caller } from '#api'

const agentSuffix = 'v1.34.0 (linux/amd64) kubernetes/homeostat'

/** Groups that Kubernetes puts a component's user into. */
export function groupsOf(user: string): readonly string[] {
  if (user.startsWith('system:serviceaccount:')) {
    const namespace = user.split(':')[2] ?? ''
    return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  }
  if (user.startsWith('system:node:')) return ['system:nodes', 'system:authenticated']
  return user === 'system:apiserver' ? ['system:masters', 'system:authenticated'] : ['system:authenticated']
}

/** The caller that a component is: `manager` becomes the field manager of what it writes. */
export const componentCaller = (user: string, manager: string): Caller => ({
  user,
  groups: groupsOf(user),
  userAgent: `${manager}/${agentSuffix}`,
})
