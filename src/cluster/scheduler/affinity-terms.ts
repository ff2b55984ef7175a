// Terms of pod affinity and anti-affinity with their selectors compiled. `matchLabelKeys` and `mismatchLabelKeys` are part
// of the selectors already: the API server puts them in when a pod is created. Read once for all pods of one template.

import { type Affinity, Namespace, type PodAffinityTerm } from '#kinds'
import type { LabelSelector } from '#objects'
import type { Cache } from '#reconcile'
import type { PodFacts } from './pod-facts.ts'
import { type CompiledSelector, compileSelector } from './selector.ts'

export interface AffinityTerm {
  readonly topologyKey: string
  readonly selector: CompiledSelector
  readonly namespaces: readonly string[]
  /** Namespaces that are meant besides; the empty selector means all. */
  readonly namespaceSelector: CompiledSelector | undefined
  readonly meansAll: boolean
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number
}

export interface Terms {
  readonly near: readonly AffinityTerm[]
  readonly far: readonly AffinityTerm[]
  readonly ratherNear: readonly WeightedTerm[]
  readonly ratherFar: readonly WeightedTerm[]
}

const none: Terms = { near: [], far: [], ratherNear: [], ratherFar: [] }

const known = new WeakMap<Affinity, Map<string, Terms>>()

/** What a pod of this namespace asks for with regard to other pods. */
export function termsOf({ spec: { affinity }, namespace }: Pick<PodFacts, 'spec' | 'namespace'>): Terms {
  if (affinity === undefined || (affinity.podAffinity === undefined && affinity.podAntiAffinity === undefined))
    return none
  const byNamespace = known.get(affinity) ?? new Map<string, Terms>()
  known.set(affinity, byNamespace)
  const found = byNamespace.get(namespace)
  if (found !== undefined) return found
  const { podAffinity, podAntiAffinity } = affinity
  const compile = (term: PodAffinityTerm): AffinityTerm => compileTerm(term, namespace)
  const weigh = ({ weight, podAffinityTerm }: { weight: number; podAffinityTerm: PodAffinityTerm }): WeightedTerm => ({
    weight,
    ...compile(podAffinityTerm),
  })
  const terms: Terms = {
    near: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(compile),
    far: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(compile),
    ratherNear: (podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weigh),
    ratherFar: (podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weigh),
  }
  byNamespace.set(namespace, terms)
  return terms
}

const isEmpty = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

function compileTerm(term: PodAffinityTerm, owner: string): AffinityTerm {
  const { topologyKey, labelSelector, namespaces = [], namespaceSelector } = term
  return {
    topologyKey,
    selector: compileSelector(labelSelector),
    namespaces: namespaceSelector === undefined && namespaces.length === 0 ? [owner] : namespaces,
    namespaceSelector: namespaceSelector === undefined ? undefined : compileSelector(namespaceSelector),
    meansAll: namespaceSelector !== undefined && isEmpty(namespaceSelector),
  }
}

function meansNamespace(term: AffinityTerm, namespace: string, objects: Cache): boolean {
  if (term.meansAll || term.namespaces.includes(namespace)) return true
  return term.namespaceSelector?.matches(objects.get(Namespace, namespace)?.metadata.labels ?? {}) === true
}

export const termMatches = (term: AffinityTerm, pod: PodFacts, objects: Cache): boolean =>
  term.selector.matches(pod.labels) && meansNamespace(term, pod.namespace, objects)

/** The names of the namespaces that a term means. */
export const namespacesOf = (term: AffinityTerm, objects: Cache): readonly string[] =>
  term.namespaceSelector === undefined
    ? term.namespaces
    : objects
        .list(Namespace)
        .map(({ metadata }) => metadata.name ?? '')
        .filter((name) => meansNamespace(term, name, objects))
