// Terms of pod affinity and anti-affinity, with their namespaces resolved and their selectors compiled.

import { Namespace, type PodAffinityTerm, type WeightedPodAffinityTerm } from '#kinds'
import type { LabelSelector, LabelSelectorRequirement } from '#objects'
import type { Cache } from '#reconcile'
import type { PodFacts } from './pod-facts.ts'
import { type CompiledSelector, compileSelector } from './selector.ts'

export interface AffinityTerm {
  readonly topologyKey: string
  readonly selector: CompiledSelector
  /** Undefined: every namespace. */
  readonly namespaces: readonly string[] | undefined
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number
}

const isEmpty = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

function namespacesOf(term: PodAffinityTerm, owner: PodFacts, objects: Cache): readonly string[] | undefined {
  const { namespaces = [], namespaceSelector } = term
  if (namespaceSelector === undefined) return namespaces.length === 0 ? [owner.namespace] : namespaces
  if (isEmpty(namespaceSelector)) return undefined
  const selector = compileSelector(namespaceSelector)
  const selected = objects
    .list(Namespace)
    .filter(({ metadata }) => selector.matches(metadata.labels ?? {}))
    .map(({ metadata }) => metadata.name ?? '')
  return [...new Set([...namespaces, ...selected])]
}

/** The selector with what `matchLabelKeys` and `mismatchLabelKeys` add to it from the pod's own labels. */
function selectorOf(term: PodAffinityTerm, { labels }: PodFacts): CompiledSelector {
  const keys = [
    ...(term.matchLabelKeys ?? []).map((key) => ({ key, operator: 'In' })),
    ...(term.mismatchLabelKeys ?? []).map((key) => ({ key, operator: 'NotIn' })),
  ].filter(({ key }) => labels[key] !== undefined)
  if (keys.length === 0 || term.labelSelector === undefined) return compileSelector(term.labelSelector)
  const added: readonly LabelSelectorRequirement[] = keys.map(({ key, operator }) => ({
    key,
    operator,
    values: [labels[key] ?? ''],
  }))
  return compileSelector({
    ...term.labelSelector,
    matchExpressions: [...(term.labelSelector.matchExpressions ?? []), ...added],
  })
}

export const termsOf = (
  terms: readonly PodAffinityTerm[] | undefined,
  owner: PodFacts,
  objects: Cache,
): readonly AffinityTerm[] =>
  (terms ?? []).map((term) => ({
    topologyKey: term.topologyKey,
    selector: selectorOf(term, owner),
    namespaces: namespacesOf(term, owner, objects),
  }))

export const weightedTermsOf = (
  terms: readonly WeightedPodAffinityTerm[] | undefined,
  owner: PodFacts,
  objects: Cache,
): readonly WeightedTerm[] =>
  (terms ?? []).flatMap(({ weight, podAffinityTerm }) =>
    termsOf([podAffinityTerm], owner, objects).map((term) => ({ ...term, weight })),
  )

export const termMatches = ({ selector, namespaces }: AffinityTerm, pod: PodFacts): boolean =>
  (namespaces === undefined || namespaces.includes(pod.namespace)) && selector.matches(pod.labels)
