// The selector by which a pod without constraints of its own is spread: the labels of the Services that select it,
// together with the selector of its owner. Kept as long as neither its labels nor the Services have changed.

import { ReplicaSet, ReplicationController, Service, StatefulSet } from '#kinds'
import type { LabelSelector } from '#objects'
import type { Cache } from '#reconcile'
import type { PodFacts } from './pod-facts.ts'
import { bothSelectors, type CompiledSelector, compileSelector } from './selector.ts'

type Labels = Readonly<Record<string, string>>

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
  readonly services: readonly Service[]
  readonly labels: Labels | undefined
  readonly selector: CompiledSelector | undefined
}

const byServices = new WeakMap<Labels, Known>()

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

function selectorOfServices(pod: PodFacts, objects: Cache): CompiledSelector | undefined {
  const services = objects.list(Service, pod.namespace)
  const known = byServices.get(pod.labels)
  if (known !== undefined && known.services === services) return known.selector
  const labels = serviceLabels(services, pod.labels)
  const selector = selectorOfLabels(labels)
  byServices.set(pod.labels, { services, labels, selector })
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
