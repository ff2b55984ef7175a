// A Service may have thousands of pods of which one has changed. What was found right when it was last looked at need not be
// looked at again: slices that were right then and whose pods are the same are set aside. Remembers facts about immutable
// objects only, so nothing is lost that could not be found out again. Pure.

import type { EndpointSlice, Pod, Service } from '#kinds'
import { isEndpoint } from '../endpoint-rules.ts'
import { changedPods } from '../service-pods.ts'

export interface Scene {
  readonly service: Service
  readonly pods: readonly Pod[]
  readonly slices: readonly EndpointSlice[]
  /** Another value when nodes have come or gone or have another zone. */
  readonly nodesVersion: number
}

export interface Narrowed {
  /** The pods that have to be looked at, with all that share a slice with them. */
  readonly pods: readonly Pod[]
  readonly slices: readonly EndpointSlice[]
  /** Slices that are right. */
  readonly others: readonly EndpointSlice[]
}

/**
 * The state of knowledge after a decision. Each of `pods` that is not `loose` is shown rightly in a slice of `right`, or is no
 * endpoint; slices of `right` show nothing else.
 */
interface Ledger {
  readonly pods: readonly Pod[]
  readonly right: ReadonlySet<EndpointSlice>
  readonly loose: ReadonlySet<string>
  readonly nodesVersion: number
}

const ledgers = new WeakMap<Service, Ledger>()

/** With fewer pods, looking at all costs nothing. */
const worthwhile = 150

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? ''

export function narrow({ service, pods, slices, nodesVersion }: Scene): Narrowed {
  const everything = { pods, slices, others: [] }
  const ledger = ledgers.get(service)
  if (ledger === undefined || ledger.nodesVersion !== nodesVersion || pods.length < worthwhile) return everything
  const right = slices.filter((slice) => ledger.right.has(slice))
  if (right.length !== ledger.right.size) return everything
  const touched = changedPods(ledger.pods, pods)
  for (const uid of ledger.loose) touched.add(uid)
  if (touched.size * 4 > pods.length) return everything
  const changed: ReadonlySet<string> = new Set(touched)
  const others: EndpointSlice[] = []
  const affected = slices.filter((slice) => {
    const endpoints = slice.endpoints ?? []
    if (ledger.right.has(slice) && !endpoints.some(({ targetRef }) => changed.has(targetRef?.uid ?? ''))) {
      others.push(slice)
      return false
    }
    for (const { targetRef } of endpoints) touched.add(targetRef?.uid ?? '')
    return true
  })
  return { pods: pods.filter((pod) => touched.has(uidOf(pod))), slices: affected, others }
}

/** Notes what a decision found: slices that it left as they were are right. */
export function remember(scene: Scene, { pods, slices, others }: Narrowed, touched: readonly EndpointSlice[]): void {
  if (scene.pods.length < worthwhile) return
  const names = new Set(touched.map(({ metadata }) => metadata.name))
  const left = slices.filter(({ metadata }) => !names.has(metadata.name))
  const stillRight = others.filter(({ metadata }) => !names.has(metadata.name))
  const shown = new Set<string>()
  for (const { endpoints } of left) for (const { targetRef } of endpoints ?? []) shown.add(targetRef?.uid ?? '')
  const loose = new Set<string>()
  for (const pod of pods) if (!shown.has(uidOf(pod)) && isEndpoint(pod)) loose.add(uidOf(pod))
  // Somebody else's endpoints join a slice that was right: it is looked at again as a whole.
  for (const slice of others)
    if (names.has(slice.metadata.name))
      for (const { targetRef } of slice.endpoints ?? []) loose.add(targetRef?.uid ?? '')
  ledgers.set(scene.service, {
    pods: scene.pods,
    right: new Set([...left, ...stillRight]),
    loose,
    nodesVersion: scene.nodesVersion,
  })
}
