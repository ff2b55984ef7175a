// Health of the Gateway API: what controllers say of a gateway and its listeners, of a route for each of its parents, of a
// policy for each of its ancestors. A condition of an older generation says nothing of the present one.

import type { AnyObject } from '#objects'
import { type HealthRule, type StatusCondition, type Verdict, verdict } from '../verdict.ts'
import type { RuleTable } from './rule.ts'

interface GatewayCondition extends StatusCondition {
  readonly observedGeneration?: number
}

interface Reported {
  readonly conditions?: readonly GatewayCondition[]
}

interface ForParent extends Reported {
  readonly parentRef?: { readonly name?: string }
}

interface ForAncestor extends Reported {
  readonly ancestorRef?: { readonly name?: string }
}

interface GatewayStatus extends Reported {
  readonly listeners?: readonly Reported[]
  readonly parents?: readonly ForParent[]
  readonly ancestors?: readonly ForAncestor[]
}

const statusOf = (object: AnyObject): GatewayStatus => (object as { status?: GatewayStatus | null }).status ?? {}

const proofOf = (path: string, { type, status, reason }: GatewayCondition) =>
  [
    `${path}[type=${type}]`,
    reason === undefined ? status : `${status} (${reason})`,
    'what the controller says',
  ] as const

interface Place {
  readonly path: string
  readonly prefix: string
  /** What is said of one that is not yet programmed and has no message. */
  readonly programming: string
}

/** References come first, then acceptance, then whether it works already. */
function trouble(conditions: readonly GatewayCondition[], { path, prefix, programming }: Place): Verdict | undefined {
  for (const type of ['ResolvedRefs', 'Accepted']) {
    const refused = conditions.find((condition) => condition.type === type && condition.status === 'False')
    if (refused !== undefined)
      return verdict('Degraded', prefix + (refused.message ?? `Failed condition: ${type}`), proofOf(path, refused))
  }
  const pending = conditions.find(({ type, status }) => type === 'Programmed' && status !== 'True')
  return pending && verdict('Progressing', prefix + (pending.message ?? programming), proofOf(path, pending))
}

function gatewayHealth(object: AnyObject): Verdict {
  const { conditions, listeners = [] } = statusOf(object)
  const own = trouble(conditions ?? [], {
    path: 'status.conditions',
    prefix: '',
    programming: 'Gateway is still being programmed',
  })
  if (own !== undefined) return own
  for (const [index, listener] of listeners.entries()) {
    const found = trouble(listener.conditions ?? [], {
      path: `status.listeners[${index}].conditions`,
      prefix: 'Listener: ',
      programming: 'Listener is still being programmed',
    })
    if (found !== undefined) return found
  }
  if (conditions !== undefined || listeners.length > 0)
    return verdict('Healthy', 'Gateway is healthy', ['status.conditions', undefined, 'nothing is wrong'])
  return verdict('Progressing', 'Waiting for Gateway status', ['status', undefined, 'nothing is said yet'])
}

/** A kind of route; some are judged only by what was said of their present generation. */
const routeHealth =
  (kind: string, isSaidNow: (object: AnyObject, parent: ForParent) => boolean): HealthRule =>
  (object) => {
    const parents = statusOf(object).parents ?? []
    let accepted: string | undefined
    for (const [index, parent] of parents.entries()) {
      if (!isSaidNow(object, parent)) continue
      const path = `status.parents[${index}].conditions`
      const found = trouble(parent.conditions ?? [], {
        path,
        prefix: `Parent ${parent.parentRef?.name ?? ''}: `,
        programming: 'Route is still being programmed',
      })
      if (found !== undefined) return found
      if ((parent.conditions ?? []).length > 0) accepted ??= path
    }
    if (accepted !== undefined)
      return verdict('Healthy', `${kind} is healthy`, [accepted, undefined, 'nothing is wrong'])
    return verdict('Progressing', `Waiting for ${kind} status`, ['status.parents', undefined, 'nothing is said yet'])
  }

const isOfThisGeneration = (object: AnyObject, { conditions = [] }: Reported): boolean =>
  conditions.every((condition) => isCurrent(object, condition))

const isCurrent = ({ metadata }: AnyObject, { observedGeneration }: GatewayCondition): boolean =>
  metadata.generation === undefined || observedGeneration === undefined || observedGeneration === metadata.generation

function classHealth(object: AnyObject): Verdict {
  const said = statusOf(object).conditions?.find(
    (condition) => condition.type === 'Accepted' && isCurrent(object, condition),
  )
  const waiting = 'Waiting for GatewayClass status'
  if (said === undefined)
    return verdict('Progressing', waiting, ['status.conditions[type=Accepted]', undefined, 'nothing is said yet'])
  const proof = proofOf('status.conditions', said)
  if (said.status === 'True') return verdict('Healthy', said.message ?? 'GatewayClass is accepted', proof)
  if (said.status === 'False') return verdict('Degraded', said.message ?? 'GatewayClass is not accepted', proof)
  return verdict('Progressing', said.message ?? waiting, proof)
}

function policyHealth(object: AnyObject): Verdict {
  const ancestors = statusOf(object).ancestors ?? []
  const nameOf = ({ ancestorRef }: ForAncestor) => ancestorRef?.name ?? ''
  const old = ancestors.find((ancestor) => !isOfThisGeneration(object, ancestor))
  if (old !== undefined)
    return verdict('Progressing', `Waiting for Ancestor ${nameOf(old)} to update BackendTLSPolicy status`, [
      'status.ancestors',
      nameOf(old),
      'speaks of another generation',
    ])
  let accepted: Verdict | undefined
  for (const [index, ancestor] of ancestors.entries()) {
    for (const condition of ancestor.conditions ?? []) {
      if (condition.type !== 'Accepted' && condition.type !== 'ResolvedRefs') continue
      const proof = proofOf(`status.ancestors[${index}].conditions`, condition)
      if (condition.status !== 'True')
        return verdict('Degraded', `Ancestor ${nameOf(ancestor)}: ${condition.message ?? ''}`, proof)
      if (condition.type === 'Accepted') accepted ??= verdict('Healthy', 'BackendTLSPolicy is healthy', proof)
    }
  }
  const waiting = ['status.ancestors', undefined, 'nothing is said yet'] as const
  return accepted ?? verdict('Progressing', 'Waiting for BackendTLSPolicy status', waiting)
}

export const gatewayApiTable: RuleTable = {
  'gateway.networking.k8s.io/Gateway': gatewayHealth,
  'gateway.networking.k8s.io/GatewayClass': classHealth,
  'gateway.networking.k8s.io/HTTPRoute': routeHealth('HTTPRoute', isOfThisGeneration),
  'gateway.networking.k8s.io/GRPCRoute': routeHealth('GRPCRoute', () => true),
  'gateway.networking.k8s.io/BackendTLSPolicy': policyHealth,
}
