// Which nodes a DaemonSet wants a pod on, and what that pod looks like: pinned to its node by affinity, and tolerating
// what happens to nodes. Pure.

import {
  type DaemonSet,
  DaemonSet as DaemonSetKind,
  matchesNodeAffinity,
  type Node,
  type NodeSelectorTerm,
  type Pod,
  type PodSpec,
  type PodTemplateSpec,
  type Toleration,
  untoleratedTaint,
} from '#kinds'
import { controllerReference } from '../claims.ts'

export const hashLabel = 'controller-revision-hash'
const generationLabel = 'pod-template-generation'
const generationAnnotation = 'deprecated.daemonset.template.generation'

const exists = (key: string, effect: Toleration['effect'] & string): Toleration => ({ key, operator: 'Exists', effect })

const nodeTolerations: readonly Toleration[] = [
  exists('node.kubernetes.io/not-ready', 'NoExecute'),
  exists('node.kubernetes.io/unreachable', 'NoExecute'),
  exists('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/unschedulable', 'NoSchedule'),
]
const networkToleration = exists('node.kubernetes.io/network-unavailable', 'NoSchedule')

export interface Placement {
  readonly shouldRun: boolean
  readonly shouldContinue: boolean
}

const nowhere: Placement = { shouldRun: false, shouldContinue: false }

export function placementOn(node: Node, set: DaemonSet): Placement {
  const spec = set.spec.template.spec ?? { containers: [] }
  if (spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== node.metadata.name) return nowhere
  if (!matchesNodeAffinity(spec, node)) return nowhere
  const taints = node.spec?.taints ?? []
  const tolerations = tolerationsOf(spec)
  const shouldContinue = untoleratedTaint(taints, tolerations, ['NoExecute']) === undefined
  return {
    shouldRun: shouldContinue && untoleratedTaint(taints, tolerations, ['NoSchedule']) === undefined,
    shouldContinue,
  }
}

/** The node a daemon pod is for: where it runs, or where its affinity wants it. */
export function nodeNameOf(pod: Pod): string | undefined {
  if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') return pod.spec.nodeName
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms)
    for (const { key, operator, values = [] } of matchFields)
      if (key === 'metadata.name' && operator === 'In' && values.length === 1) return values[0]
  return undefined
}

export function generationOf(set: DaemonSet): string | undefined {
  return set.metadata.annotations?.[generationAnnotation]
}

/** Made by the current template: by its hash, or by its generation for pods of very old clusters. */
export function isUpdated(pod: Pod, set: DaemonSet, hash: string): boolean {
  const { labels = {} } = pod.metadata
  const generation = generationOf(set)
  return labels[hashLabel] === hash || (generation !== undefined && labels[generationLabel] === generation)
}

interface Shape {
  readonly hash: string
  readonly pod: Pod
}

/** Everything but the node is the same for all pods of a template. */
const shapes = new WeakMap<PodTemplateSpec, Shape>()

export function podFor(set: DaemonSet, node: string, hash: string): Pod {
  const { pod } = shapeOf(set, hash)
  return { ...pod, spec: { ...pod.spec, affinity: pinned(pod.spec, node) } }
}

function shapeOf(set: DaemonSet, hash: string): Shape {
  const { template } = set.spec
  const known = shapes.get(template)
  if (known?.hash === hash && known.pod.metadata.ownerReferences?.[0]?.uid === set.metadata.uid) return known
  const { labels, annotations, finalizers } = template.metadata ?? {}
  const generation = generationOf(set)
  const spec = template.spec ?? { containers: [] }
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace ?? '',
      labels: { ...labels, ...(generation === undefined ? {} : { [generationLabel]: generation }), [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(DaemonSetKind, set)],
    },
    spec: { ...spec, tolerations: tolerationsOf(spec) },
  }
  const shape = { hash, pod }
  shapes.set(template, shape)
  return shape
}

/** What the template says itself keeps its place, but has no time limit where all daemons have none. */
function tolerationsOf(spec: PodSpec): readonly Toleration[] {
  const own = spec.tolerations ?? []
  const added = [...nodeTolerations, ...(spec.hostNetwork === true ? [networkToleration] : [])]
  const isSame = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? '') === (b.value ?? '')
  const kept = own.map((one) => added.find((other) => isSame(one, other)) ?? one)
  return [...kept, ...added.filter((one) => !kept.includes(one))]
}

/** Every alternative of the template's affinity, narrowed to the one node. */
function pinned(spec: PodSpec, node: string): NonNullable<PodSpec['affinity']> {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }] as const
  const { affinity = {} } = spec
  // As in Kubernetes, the template's own required terms were decided on already and give way to the node.
  const nodeSelectorTerms: readonly NodeSelectorTerm[] = [{ matchFields: [...matchFields] }]
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
  return { ...affinity, nodeAffinity: { ...affinity.nodeAffinity, ...required } }
}
