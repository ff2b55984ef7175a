// Whether a node matches a node selector term, a node affinity or a plain nodeSelector: asked by the scheduler, the
// kubelet's admission and DaemonSets. Rules of k8s.io/component-helpers/scheduling/corev1/nodeaffinity.

import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../generated/types.ts'

type Labels = Readonly<Record<string, string>>

const noLabels: Labels = {}

function isWhole(text: string): boolean {
  return /^[+-]?\d+$/.test(text)
}

function requirementMatches(requirement: NodeSelectorRequirement, values: Labels): boolean {
  const { key, operator, values: wanted = [] } = requirement
  const value = values[key]
  switch (operator) {
    case 'In':
      return value !== undefined && wanted.includes(value)
    case 'NotIn':
      return value === undefined || !wanted.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
    case 'Lt': {
      const bound = wanted[0]
      if (value === undefined || bound === undefined || !isWhole(value) || !isWhole(bound)) return false
      return operator === 'Gt' ? Number(value) > Number(bound) : Number(value) < Number(bound)
    }
    default:
      return false
  }
}

/** A term without any requirement matches nothing. */
export function matchesNodeSelectorTerm(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length === 0 && matchFields.length === 0) return false
  const labels = node.metadata.labels ?? noLabels
  const fields = { 'metadata.name': node.metadata.name ?? '' }
  return (
    matchExpressions.every((requirement) => requirementMatches(requirement, labels)) &&
    matchFields.every((requirement) => requirementMatches(requirement, fields))
  )
}

/** Terms are alternatives. */
export const matchesNodeSelector = (selector: NodeSelector, node: Node): boolean =>
  selector.nodeSelectorTerms.some((term) => matchesNodeSelectorTerm(term, node))

/** `nodeSelector` and the required part of the node affinity. */
export function matchesNodeAffinity(spec: PodSpec, node: Node): boolean {
  if (spec.nodeSelector !== undefined) {
    const labels = node.metadata.labels ?? noLabels
    for (const key in spec.nodeSelector) if (labels[key] !== spec.nodeSelector[key]) return false
  }
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesNodeSelector(required, node)
}
