// The selector by which a pod without constraints of its own is spread: the labels of the Services that select it,
// together with the selector of its owner. Kept as long as neither its labels nor the Services have changed.

import { ReplicaSet, ReplicationController, Service, StatefulSet } from '#kinds'
import type { LabelSelector } from '#objects'
import type { Cache, Index } from '#reconcile'
import type { PodFacts } from './pod-facts.ts'
import { bothSelectors, type CompiledSelector, compileSelector, labelText } from './selector.ts'

type Labels = Readonly<Record<string, string>>

/** Services by the first label that they select: one of those that a pod must have. */
const servicesBySelector: Index<Service> = {
  name: 'spread selector',
  kind: Service,
  values: ({ metadata, spec: { selector } }) => {
    const [first] = Object.keys(selector ?? {}).sort()
    return first === undefined ? [] : [serviceKey(metadata.namespace ?? '', first, selector?.[first] ?? '')]
  },
}

const serviceKey = (namespace: string, key: string, value: string): string => `${namespace}/${labelText(key, value)}`

function serviceLabels(services: readonly Service[], labels: Labels): Labels | undefined {
  let merged: Record<string, string> | undefined
  for (const { spec } of services) {
    const selector = spec.selector
    if (selector === undefined) continue
    const keys = Object.keys(selector)
    if (keys.length === 0 || !keys.every((key) => labels[key] === selector[key])) continue
    merged = { ...merged, ...selector }
  }
  return merged
}

function ownerSelector(pod: PodFacts, objects: Cache): LabelSelector | undefined {
  const owner = pod.pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return undefined
  const key = `${pod.namespace}/${owner.name}`
  switch (owner.kind) {
    case 'ReplicaSet':
      return objects.get(ReplicaSet, key)?.spec.selector
    case 'StatefulSet':
      return objects.get(StatefulSet, key)?.spec.selector
    case 'ReplicationController': {
      const selector = objects.get(ReplicationController, key)?.spec.selector
      return selector === undefined ? undefined : { matchLabels: selector }
    }
    default:
      return undefined
  }
}

interface Known {
  /** Where Services that select these labels may be, and what was there. */
  readonly places: readonly string[]
  readonly services: readonly (readonly Service[])[]
  readonly selector: CompiledSelector | undefined
}

/** By the labels of pods of one namespace. */
const byServices = new WeakMap<Labels, Map<string, Known>>()

/** Equal maps of labels give the same selector object, so that counts of pods can be found by it. */
const selectors = new Map<string, CompiledSelector>()
const limit = 5000

function selectorOfLabels(labels: Labels | undefined): CompiledSelector | undefined {
  if (labels === undefined) return undefined
  const text = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
  const known = selectors.get(text)
  if (known !== undefined) return known
  const selector = compileSelector({ matchLabels: labels })
  if (selectors.size >= limit) selectors.clear()
  selectors.set(text, selector)
  return selector
}

function selectorOfServices({ namespace, labels }: PodFacts, objects: Cache): CompiledSelector | undefined {
  let known = byServices.get(labels)
  if (known === undefined) {
    known = new Map()
    byServices.set(labels, known)
  }
  const before = known.get(namespace)
  const isSame = (place: string, i: number): boolean => objects.by(servicesBySelector, place) === before?.services[i]
  if (before?.places.every(isSame) === true) return before.selector
  const places = Object.entries(labels).map(([key, value]) => serviceKey(namespace, key, value))
  const services = places.map((place) => objects.by(servicesBySelector, place))
  const selector = selectorOfLabels(serviceLabels(services.flat(), labels))
  known.set(namespace, { places, services, selector })
  return selector
}

/** Undefined when neither a Service nor an owner says anything of the pod. */
export function defaultSpreadSelector(pod: PodFacts, objects: Cache): CompiledSelector | undefined {
  const services = selectorOfServices(pod, objects)
  const owner = ownerSelector(pod, objects)
  if (owner === undefined) return services
  const compiled = compileSelector(owner)
  return services === undefined ? compiled : bothSelectors(services, compiled)
}
