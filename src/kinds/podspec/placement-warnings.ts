// Warnings for labels of nodes that have gone by other names for years.

import type { NodeSelectorTerm, PodSpec } from '../generated/types.ts'

const renamed: Readonly<Record<string, readonly [string, string]>> = {
  'beta.kubernetes.io/arch': ['v1.14', 'kubernetes.io/arch'],
  'beta.kubernetes.io/os': ['v1.14', 'kubernetes.io/os'],
  'failure-domain.beta.kubernetes.io/region': ['v1.17', 'topology.kubernetes.io/region'],
  'failure-domain.beta.kubernetes.io/zone': ['v1.17', 'topology.kubernetes.io/zone'],
  'beta.kubernetes.io/instance-type': ['v1.17', 'node.kubernetes.io/instance-type'],
}

export function labelWarning(key: string, path: string): readonly string[] {
  const rename = renamed[key]
  return rename === undefined ? [] : [`${path}: deprecated since ${rename[0]}; use "${rename[1]}" instead`]
}

export function affinityWarnings(spec: PodSpec, path: string): readonly string[] {
  const nodes = spec.affinity?.nodeAffinity
  const at = `${path}.affinity.nodeAffinity`
  return [
    ...(nodes?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      termWarnings(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`),
    ),
    ...(nodes?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, i) =>
      termWarnings(preference ?? {}, `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap((constraint, i) =>
      labelWarning(constraint.topologyKey, `${path}.topologySpreadConstraints[${i}].topologyKey`),
    ),
  ]
}

const termWarnings = (term: NodeSelectorTerm, path: string): readonly string[] =>
  (term.matchExpressions ?? []).flatMap(({ key }, i) => labelWarning(key, `${path}.matchExpressions[${i}].key`))
