// What the API server sets in Pods: a fresh status, and selectors that follow the pod's own labels.

import { isEqual, type LabelSelector } from '#objects'
import type {
  ContainerStatus,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodCondition,
  PodSpec,
  PodStatus,
  TopologySpreadConstraint,
} from '../generated/types.ts'
import { qosClassOf } from '../podspec/qos.ts'
import { mapShared, withDefaults, without } from '../sharing.ts'
import { withAppArmorFields } from './apparmor.ts'

export function preparePodForCreate(pod: Pod): Pod {
  const spec = withLabelKeys(withAppArmorFields(pod), pod.metadata.labels ?? {})
  return {
    ...pod,
    spec,
    status: {
      phase: 'Pending',
      qosClass: qosClassOf(spec),
      ...((spec.schedulingGates ?? []).length === 0 ? {} : { conditions: [gatedCondition(pod)] }),
    },
  }
}

const gatedCondition = ({ metadata }: Pod): PodCondition => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null as unknown as string,
  lastTransitionTime: metadata.creationTimestamp ?? (null as unknown as string),
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
})

/** Status comes from the old pod. */
export function preparePodForUpdate(pod: Pod, old: Pod): Pod {
  if (pod.status === old.status) return pod
  const { status: _dropped, ...rest } = pod
  return { ...rest, ...(old.status === undefined ? {} : { status: old.status }) }
}

/**
 * A `/status` write leaves spec, owners and, once set, the QoS class alone. Whoever does not know which generations were
 * seen does not take that away.
 */
export function preparePodForStatusUpdate(pod: Pod, old: Pod): Pod {
  const metadata = isEqual(pod.metadata.ownerReferences, old.metadata.ownerReferences)
    ? pod.metadata
    : { ...pod.metadata, ownerReferences: old.metadata.ownerReferences ?? [] }
  const qosClass = pod.status?.qosClass || old.status?.qosClass || qosClassOf(old.spec)
  const status = withDefaults(withoutDisabled(pod.status ?? {}), {
    qosClass: qosClass as PodStatus['qosClass'],
    observedGeneration: pod.status?.observedGeneration || old.status?.observedGeneration,
    conditions: pod.status?.conditions && mapShared(pod.status.conditions, seenBefore(old)),
  })
  if (pod.spec === old.spec && metadata === pod.metadata && status === pod.status) return pod
  return { ...pod, metadata, spec: old.spec, status }
}

/** What the API server does not keep in 1.34, since the feature behind it is off. */
const withoutDisabled = (status: PodStatus): PodStatus =>
  withDefaults(without(status, 'extendedResourceClaimStatus'), {
    containerStatuses: status.containerStatuses && mapShared(status.containerStatuses, withoutHealth),
    initContainerStatuses: status.initContainerStatuses && mapShared(status.initContainerStatuses, withoutHealth),
    ephemeralContainerStatuses:
      status.ephemeralContainerStatuses && mapShared(status.ephemeralContainerStatuses, withoutHealth),
  })

const withoutHealth = (status: ContainerStatus): ContainerStatus => without(status, 'allocatedResourcesStatus')

/** One type may stand there several times: the first goes by the first that was there, and so on. */
function seenBefore(old: Pod): (condition: PodCondition) => PodCondition {
  const before = [...(old.status?.conditions ?? [])]
  return (condition) => {
    const at = before.findIndex(({ type }) => type === condition.type)
    const seen = at < 0 ? undefined : before.splice(at, 1)[0]?.observedGeneration
    return condition.observedGeneration || !seen ? condition : { ...condition, observedGeneration: seen }
  }
}

type Labels = Readonly<Record<string, string>>

/** `matchLabelKeys` become requirements of the selector, with the value that the pod has. */
function withLabelKeys(spec: PodSpec, labels: Labels): PodSpec {
  const { affinity, topologySpreadConstraints: constraints } = spec
  return withDefaults(spec, {
    affinity:
      affinity &&
      withDefaults(affinity, {
        podAffinity: affinity.podAffinity && affinityWithKeys(affinity.podAffinity, labels),
        podAntiAffinity: affinity.podAntiAffinity && affinityWithKeys(affinity.podAntiAffinity, labels),
      }),
    topologySpreadConstraints: constraints && mapShared(constraints, (constraint) => withOwnKeys(constraint, labels)),
  })
}

function affinityWithKeys(affinity: PodAffinity, labels: Labels): PodAffinity {
  const needed = affinity.requiredDuringSchedulingIgnoredDuringExecution
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution
  return withDefaults(affinity, {
    requiredDuringSchedulingIgnoredDuringExecution: needed && mapShared(needed, (term) => withOwnKeys(term, labels)),
    preferredDuringSchedulingIgnoredDuringExecution:
      preferred &&
      mapShared(preferred, (weighted) =>
        withDefaults(weighted, { podAffinityTerm: withOwnKeys(weighted.podAffinityTerm, labels) }),
      ),
  })
}

function withOwnKeys<T extends PodAffinityTerm | TopologySpreadConstraint>(term: T, labels: Labels): T {
  const { labelSelector, matchLabelKeys = [] } = term
  const mismatched = 'mismatchLabelKeys' in term ? (term.mismatchLabelKeys ?? []) : []
  if (labelSelector === undefined || matchLabelKeys.length + mismatched.length === 0) return term
  const added = [
    ...matchLabelKeys.map((key) => ({ key, operator: 'In' })),
    ...mismatched.map((key) => ({ key, operator: 'NotIn' })),
  ].flatMap(({ key, operator }) => {
    const value = labels[key]
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
  if (added.length === 0) return term
  const selector: LabelSelector = {
    ...labelSelector,
    matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added],
  }
  return { ...term, labelSelector: selector }
}
