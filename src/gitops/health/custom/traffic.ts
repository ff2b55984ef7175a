// What lets traffic in: Gloo, Contour, Airlock's Microgateway, OpenShift's routes, certificates of GKE; and the networks of nodes.

import type { AnyObject } from '#objects'
import {
  byCondition,
  degraded,
  type HealthRule,
  healthy,
  progressing,
  type StatusCondition,
  suspended,
  type Verdict,
} from '../verdict.ts'
import type { RuleTable } from './rule.ts'

interface GlooStatus {
  /** By name, or by its number in the protocol. */
  readonly state?: string | number
  readonly reason?: string
}

/** One status for each namespace of a controller, or the older single one: the first that says something decides. */
const glooHealth: HealthRule = (object) => {
  const status = (object['status'] ?? {}) as GlooStatus & { readonly statuses?: Readonly<Record<string, GlooStatus>> }
  const named = Object.entries(status.statuses ?? {}).map(
    ([name, each]) => [`status.statuses["${name}"]`, each] as const,
  )
  for (const [path, each] of [...named, ['status', status] as const]) {
    const verdict = glooVerdict(`${path}.state`, each)
    if (verdict !== undefined) return verdict
  }
  return progressing(['status', undefined, 'not validated yet'], 'Update in progress')
}

function glooVerdict(path: string, { state, reason }: GlooStatus): Verdict | undefined {
  if (state === 'Accepted' || state === 1) return healthy([path, state, 'accepted'], 'The resource has been validated')
  if (state === 'Pending' || state === 0)
    return suspended([path, state, 'pending'], 'The resource has not yet been validated')
  const isRefused = state === 'Rejected' || state === 2 || state === 'Warning' || state === 3
  return isRefused ? degraded([path, state, 'rejected, or accepted with a warning'], reason) : undefined
}

interface DatedCondition extends StatusCondition {
  readonly observedGeneration?: number
}

const ofThisGeneration = (object: AnyObject): readonly DatedCondition[] => {
  const { status } = object as { readonly status?: { readonly conditions?: readonly DatedCondition[] } }
  return (status?.conditions ?? []).filter((each) => each.observedGeneration === object.metadata.generation)
}

const waiting = (message = 'Waiting for status'): Verdict =>
  progressing(['status.conditions', undefined, 'nothing about this generation'], message)

const extensionServiceHealth: HealthRule = (object) => {
  const valid = ofThisGeneration(object).find(
    ({ type, status }) => type === 'Valid' && (status === 'True' || status === 'False'),
  )
  if (valid === undefined) return waiting()
  return valid.status === 'True'
    ? healthy(byCondition(valid, 'valid'), valid.message)
    : degraded(byCondition(valid, 'not valid'), valid.message)
}

interface HttpProxy {
  readonly spec?: { readonly includes?: unknown }
  readonly status?: { readonly description?: string; readonly currentStatus?: string; readonly conditions?: unknown }
}

/** A proxy that includes others is invalid until they are there, and they are orphans until it is: it holds up nothing. */
const httpProxyHealth: HealthRule = (object) => {
  const { spec, status } = object as HttpProxy
  if (status?.conditions === undefined)
    return status?.currentStatus === undefined ? waiting() : waiting(status.description)
  for (const condition of ofThisGeneration(object)) {
    const isValid = condition.type === 'Valid'
    if (isValid && condition.status === 'True') return healthy(byCondition(condition, 'valid'), status.description)
    if (condition.status !== 'False') continue
    if (spec?.includes !== undefined)
      return healthy(byCondition(condition, 'it includes others'), 'HTTPProxy inclusions cannot be health checked')
    if (isValid) return degraded(byCondition(condition, 'not valid'), status.description)
  }
  return waiting()
}

interface Ancestor {
  readonly ancestorRef?: { readonly name?: string }
  readonly conditions?: readonly DatedCondition[]
}

/** Policies are judged by what they are attached to; nothing else has a status. */
const airlockHealth: HealthRule = (object) => {
  const { kind } = object
  if (!kind.endsWith('Policy')) return healthy(['kind', kind, 'has no status'], `${kind} is healthy`)
  const { ancestors = [] } = (object['status'] ?? {}) as { readonly ancestors?: readonly Ancestor[] }
  const { generation } = object.metadata
  const field = 'status.ancestors'
  const late = ancestors.find(({ conditions = [] }) =>
    conditions.some((each) => each.observedGeneration !== generation),
  )
  if (generation !== undefined && late !== undefined)
    return progressing(
      [field, nameOf(late), `has not seen generation ${generation}`],
      `Waiting for Ancestor ${nameOf(late)} to update ${kind} status`,
    )
  for (const ancestor of ancestors) {
    const refused = ancestor.conditions?.find(
      ({ type, status }) => (type === 'Accepted' || type === 'ResolvedRefs') && status !== 'True',
    )
    if (refused !== undefined)
      return degraded(
        [`${field}[].conditions[type=${refused.type}]`, refused.status, 'refused'],
        `Ancestor ${nameOf(ancestor)}: ${refused.message ?? ''}`,
      )
  }
  const last = ancestors.at(-1)
  if (last === undefined)
    return progressing([field, undefined, 'attached to nothing yet'], `Waiting for ${kind} status`)
  return last.conditions?.some(({ type }) => type === 'Accepted') === true
    ? healthy([field, ancestors.length, 'accepted'], `${kind} is healthy`)
    : degraded([field, nameOf(last), 'not accepted'], `Ancestor ${nameOf(last)}: ${kind} is not accepted`)
}

const nameOf = ({ ancestorRef }: Ancestor): string => ancestorRef?.name ?? ''

interface Route {
  readonly status?: { readonly ingress?: readonly { readonly conditions?: readonly StatusCondition[] }[] }
}

const routeHealth: HealthRule = (object) => {
  const { ingress } = (object as Route).status ?? {}
  const admitted = (ingress ?? []).flatMap(({ conditions = [] }) =>
    conditions.filter(({ type }) => type === 'Admitted'),
  )
  const count = (wanted: string) => admitted.filter(({ status }) => status === wanted).length
  const field = 'status.ingress[].conditions[type=Admitted]'
  if (ingress !== undefined && count('True') === ingress.length)
    return healthy([field, count('True'), 'admitted by all'], 'Route is healthy')
  return count('False') > 0
    ? degraded([field, count('False'), 'refused'], 'Route is degraded')
    : progressing([field, undefined, 'not admitted by all'], 'Route is still getting admitted')
}

const gloo = (group: string, ...kinds: readonly string[]): RuleTable =>
  Object.fromEntries(kinds.map((kind) => [`${group}/${kind}`, glooHealth]))

const reason = ['{.reason}: {.message!}', '{.reason}'] as const

export const trafficTable: RuleTable = {
  ...gloo('gateway.solo.io', 'Gateway', 'MatchableHttpGateway', 'RouteOption', 'RouteTable'),
  ...gloo('gateway.solo.io', 'VirtualHostOption', 'VirtualService'),
  ...gloo('gloo.solo.io', 'Proxy', 'Settings', 'Upstream', 'UpstreamGroup'),
  'microgateway.airlock.com/_': airlockHealth,
  'projectcontour.io/ExtensionService': extensionServiceHealth,
  'projectcontour.io/HTTPProxy': httpProxyHealth,
  'route.openshift.io/Route': routeHealth,
  'operator.openshift.io/IngressController': [
    {
      conditions: {
        'Degraded=True': ['Degraded'],
        'DeploymentReplicasAllAvailable=False': ['Progressing'],
        'Progressing=True': ['Progressing', '{.reason}'],
        'Available=True': ['Healthy', 'IngressController is available'],
      },
    },
    { answer: ['Progressing', 'Status of IngressController is not known yet'] },
  ],
  'networking.gke.io/ManagedCertificate': [
    {
      at: 'status.domainStatus',
      conditions: {
        '*=FailedNotVisible': ['Degraded', 'At least one certificate has failed to be provisioned'],
      },
    },
    {
      when: [['status.certificateStatus', 'is', 'Active']],
      answer: ['Healthy', 'All certificates are active'],
    },
    { answer: ['Progressing', 'At least one certificate is still being provisioned'] },
  ],
  'nmstate.io/NodeNetworkConfigurationPolicy': [
    {
      conditions: {
        'Available=True': ['Healthy', ...reason],
        'Degraded=True': ['Degraded', ...reason],
        'Progressing=True': ['Progressing', ...reason],
        'Ignored=True': ['Suspended', ...reason],
      },
    },
    { answer: ['Progressing', 'Waiting for policy to be applied'] },
  ],
}
