// Each object of an application with its states, for pages and the REST interface: what git says, what is there, and what
// the cluster would store. Secret values are masked, so that it stays visible whether they are equal.

import { maskSecrets, normalise } from '#gitops/diff'
import type { AnyObject } from '#objects'
import type { Comparison, Entry } from './comparison.ts'

export interface ManagedResource {
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Manifests as JSON; `null` when there is none. */
  readonly targetState: string
  readonly liveState: string
  readonly normalizedLiveState: string
  readonly predictedLiveState: string
  readonly modified: boolean
  readonly hook: boolean
  readonly resourceVersion?: string
  /** Where it differs: our addition to Argo CD's shape. */
  readonly fields: readonly { readonly path: string; readonly live?: unknown; readonly desired?: unknown }[]
  /** The cluster's own words if it refuses the target. */
  readonly refusal?: string
}

export const managedResources = (comparison: Comparison): readonly ManagedResource[] =>
  comparison.entries.map(toManaged)

function toManaged(entry: Entry): ManagedResource {
  const [target, live, predicted] = maskSecrets(entry.target, entry.live, entry.predicted)
  const shown = (object: object | undefined): string => (object === undefined ? 'null' : JSON.stringify(object))
  const normal = (object: AnyObject | undefined): string => (object === undefined ? 'null' : shown(normalise(object)))
  const resourceVersion = entry.live?.metadata.resourceVersion
  return {
    ...entry.key,
    targetState: shown(target),
    liveState: shown(live),
    normalizedLiveState: normal(live),
    predictedLiveState: normal(predicted ?? target),
    modified: entry.sync === 'OutOfSync',
    hook: false,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    fields: entry.differences.map(({ path, live: has, desired: wants }) => ({
      path,
      ...(has === undefined ? {} : { live: has }),
      ...(wants === undefined ? {} : { desired: wants }),
    })),
    ...(entry.refusal === undefined ? {} : { refusal: entry.refusal }),
  }
}
