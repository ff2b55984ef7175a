// Who decides whether something may be done, in this order: members of system:masters may do everything, then the Node
// authoriser, then roles. The first that allows it is followed; reasons of those that do not are told together.

import type { Store } from '#store'
import type { AccessQuestion, Decide } from '../options.ts'
import { allowed, type Decision, refusedFor } from './decision.ts'
import { decideForNode, nodeOf } from './node.ts'
import { RoleAuthorizer, rbacBuckets } from './rbac.ts'

export interface AccessJudge {
  readonly roles: RoleAuthorizer
  decide(question: AccessQuestion): Decision
}

export const bindingBuckets: readonly string[] = [rbacBuckets.ClusterRoleBinding, rbacBuckets.RoleBinding]

/** `instead` replaces all of them. */
export function createAccessJudge(store: Store, instead?: Decide): AccessJudge {
  const roles = new RoleAuthorizer(store)
  return {
    roles,
    decide(question) {
      if (instead !== undefined) return instead(question)
      if (question.caller.groups.includes('system:masters')) return allowed
      const node = nodeOf(question.caller)
      if (node === undefined) return roles.decide(question)
      const forNode = decideForNode(store, node, question)
      if (forNode.allowed) return forNode
      const byRole = roles.decide(question)
      return byRole.allowed
        ? byRole
        : refusedFor([forNode.reason, byRole.reason].filter((why) => why !== '').join('\n'))
    },
  }
}
