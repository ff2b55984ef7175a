// Warnings for what a pod asks of the scheduler: labels of nodes that have gone by other names for years, values that no
// label can have, and terms that match no pod (pkg/api/node, pkg/api/pod/warnings.go).

import type { LabelSelector } from '#objects'
import type { NodeSelectorTerm, PodAffinityTerm, PodAntiAffinity, PodSpec } from '../generated/types.ts'
import { labelValue } from '../metadata/formats.ts'

const deprecated: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
])

/** The label is named by the path. */
export function labelWarning(key: string, path: string): readonly string[] {
  const text = deprecated.get(key)
  return text === undefined ? [] : [`${path}: ${text}`]
}

/** The label is the value at the path. */
function valueWarning(key: string, path: string): readonly string[] {
  const text = deprecated.get(key)
  return text === undefined ? [] : [`${path}: ${key} is ${text}`]
}

export function nodeTermWarnings(term: NodeSelectorTerm, path: string): readonly string[] {
  return (term.matchExpressions ?? []).flatMap(({ key }, i) => valueWarning(key, `${path}.matchExpressions[${i}].key`))
}

export const selectorWarnings = (selector: LabelSelector | undefined, path: string): readonly string[] => [
  ...nodeTermWarnings((selector ?? {}) as NodeSelectorTerm, path),
  ...Object.keys(selector?.matchLabels ?? {})
    .sort()
    .flatMap((key) => labelWarning(key, `${path}.matchLabels.${key}`)),
]

/** Of a preference, values that no label can have are let pass: this is where they are told. */
function preferenceWarnings(term: NodeSelectorTerm, path: string): readonly string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values = [] }, i) => {
    const at = `${path}.matchExpressions[${i}]`
    const ofValues = values.flatMap((value, j) =>
      labelValue(value).map((text) => `${at}.values[${j}]: ${value} is invalid, ${text}`),
    )
    return [...valueWarning(key, `${at}.key`), ...ofValues]
  })
}

export function placementWarnings(spec: PodSpec, path: string): readonly string[] {
  const nodes = spec.affinity?.nodeAffinity
  const at = `${path}.affinity.nodeAffinity`
  return [
    ...Object.keys(spec.nodeSelector ?? {})
      .sort()
      .flatMap((key) => labelWarning(key, `${path}.nodeSelector[${key}]`)),
    ...(nodes?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      nodeTermWarnings(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`),
    ),
    ...(nodes?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, i) =>
      preferenceWarnings(preference ?? {}, `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap((constraint, i) => {
      const one = `${path}.topologySpreadConstraints[${i}]`
      return [...valueWarning(constraint.topologyKey, `${one}.topologyKey`), ...selectorWarning(constraint, one)]
    }),
  ]
}

const selectorWarning = ({ labelSelector }: Pick<PodAffinityTerm, 'labelSelector'>, path: string): readonly string[] =>
  labelSelector === undefined ? [`${path}.labelSelector: a null labelSelector results in matching no pod`] : []

export function podAffinityWarnings(spec: PodSpec, path: string): readonly string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((field) => {
    const affinity: PodAntiAffinity = spec.affinity?.[field] ?? {}
    const at = `${path}.affinity.${field}`
    return [
      ...(affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, i) =>
        selectorWarning(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`),
      ),
      ...(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }, i) =>
        selectorWarning(podAffinityTerm, `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm`),
      ),
    ]
  })
}
