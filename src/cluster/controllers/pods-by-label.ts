// Pods by their labels: who selects pods finds them without looking at all pods of a namespace.

import { Pod } from '#kinds'
import { type LabelSelector, matchesLabels } from '#objects'
import type { Cache, Index } from '#reconcile'

type Labels = Readonly<Record<string, string>>

/** Pods by each of their labels, as `namespace/key=value`. */
export const podsByLabel: Index<Pod> = {
  name: 'label',
  kind: Pod,
  values: ({ metadata }) =>
    metadata.labels === undefined ? none : labelValues(metadata.namespace ?? '', metadata.labels),
}

const none: readonly string[] = []
const valuesByLabels = new WeakMap<Labels, { readonly namespace: string; readonly values: readonly string[] }>()

/** Pods of one owner share their labels object, and so its index values. */
export function labelValues(namespace: string, labels: Labels): readonly string[] {
  const known = valuesByLabels.get(labels)
  if (known?.namespace === namespace) return known.values
  const values = Object.entries(labels).map(([key, value]) => `${namespace}/${key}=${value}`)
  valuesByLabels.set(labels, { namespace, values })
  return values
}

/** The pods of a namespace that a selector matches; without a label to start from, all of them are looked at. */
export function podsMatching(cache: Cache, namespace: string, selector: LabelSelector): readonly Pod[] {
  const [first] = Object.entries(selector.matchLabels ?? {})
  const candidates =
    first === undefined ? cache.list(Pod, namespace) : cache.by(podsByLabel, `${namespace}/${first[0]}=${first[1]}`)
  return candidates.filter(({ metadata }) => matchesLabels(selector, metadata.labels ?? {}))
}
