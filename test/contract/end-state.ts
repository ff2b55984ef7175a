// What is left when all is said and done, in a form that does not depend on the interleaving: no names that chance made, no
// uids, revisions, addresses or times. Two runs that converge to the same thing have equal end states.

import {
  ConfigMap,
  Deployment,
  EndpointSlice,
  Endpoints,
  Job,
  type Kind,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Service,
  ServiceAccount,
} from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import type { TestMachine } from '../support/machine.ts'

const kinds: readonly Kind[] = [
  Namespace,
  Node,
  Service,
  Deployment,
  ReplicaSet,
  Pod,
  Job,
  Endpoints,
  EndpointSlice,
  ConfigMap,
  ServiceAccount,
]

/** Values that chance or time made, wherever they are. */
const madeUp = new Set([
  'uid',
  'resourceVersion',
  'managedFields',
  'creationTimestamp',
  'lastTransitionTime',
  'lastUpdateTime',
  'lastHeartbeatTime',
  'lastProbeTime',
  'startTime',
  'startedAt',
  'finishedAt',
  'completionTime',
  'containerID',
  'podIP',
  'podIPs',
  'hostIP',
  'hostIPs',
  'ip',
  'addresses',
  'nodeName',
  'clusterIP',
  'clusterIPs',
  'podCIDR',
  'podCIDRs',
  'machineID',
  'systemUUID',
  'bootID',
  'generateName',
  'resourceClaimName',
  // How often something was written on the way depends on the way.
  'generation',
  'observedGeneration',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'deployment.kubernetes.io/revision',
  'deployment.kubernetes.io/revision-history',
  // Where pods have been is chance.
  'images',
  'volumesInUse',
  'volumesAttached',
])

/** With `history`, values that only tell what pods went through are left out too. */
export async function endState(test: TestMachine, history: 'told' | 'forgotten' = 'told'): Promise<readonly string[]> {
  const lines: string[] = []
  for (const kind of kinds) {
    const { items } = await test.client.list(kind as Kind<AnyObject>)
    for (const object of items)
      if (!isHistory(object)) lines.push(...leaves(kind, told(object, history)).filter(isTold(history)))
  }
  return lines.sort()
}

/** A pod keeps the condition of a disruption that was taken back: whoever was to evict it was stopped halfway. */
function told(object: AnyObject, history: 'told' | 'forgotten'): AnyObject {
  const status = object['status'] as Pod['status']
  if (history === 'told' || object.kind !== 'Pod' || status?.conditions === undefined) return object
  const conditions = status.conditions.filter(({ type, status: is }) => type !== 'DisruptionTarget' || is !== 'False')
  return { ...object, status: { ...status, conditions } }
}

const pastOfPods = /lastState|restartCount|pod-template-generation/

const isTold =
  (history: 'told' | 'forgotten') =>
  (line: string): boolean =>
    history === 'told' || !pastOfPods.test(line)

/** Which rollouts there were on the way, and how far an orphan had come, depends on the way. */
const isHistory = ({ kind, spec, metadata }: AnyObject): boolean =>
  (kind === 'ReplicaSet' && (spec as { readonly replicas?: number }).replicas === 0) ||
  (kind === 'Pod' && metadata.ownerReferences === undefined)

/** What is in one list and not in the other: short enough to be read. */
export function differences(expected: readonly string[], actual: readonly string[]): readonly string[] {
  const count = (lines: readonly string[]): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
    return counts
  }
  const [before, after] = [count(expected), count(actual)]
  const missing = [...before].filter(([line, n]) => (after.get(line) ?? 0) < n).map(([line]) => `- ${line}`)
  const added = [...after].filter(([line, n]) => (before.get(line) ?? 0) < n).map(([line]) => `+ ${line}`)
  return [...missing, ...added].slice(0, 20)
}

/** One line for each value: `Deployment web .spec.replicas = 2`. */
function leaves(kind: Kind, object: KubeObject): readonly string[] {
  const madeName = object.metadata.generateName !== undefined || object.metadata.ownerReferences !== undefined
  const name = madeName && kind !== ReplicaSet ? '<made>' : (object.metadata.name ?? '')
  const lines: string[] = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) {
      const text = JSON.stringify(value) ?? ''
      lines.push(
        `${kind.kind} ${name} ${path} = ${madeName ? text.replaceAll(object.metadata.name ?? '', name) : text}`,
      )
    } else for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`)
  }
  walk(plain(object), '')
  return lines
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value === 'string')
    return (
      value
        .replace(/(kube-api-access|pod)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-<made>')
        // Kubernetes leaves the text when a rollout is over before anyone saw it going on.
        .replace(/^ReplicaSet ".*" has successfully progressed\.$/, 'progressed')
    )
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
    .filter(([key]) => !madeUp.has(key))
    .map(([key, inner]) => [key, key === 'targetRef' ? '<pod>' : plain(inner)] as const)
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
}
