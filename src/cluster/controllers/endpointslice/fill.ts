// Puts the endpoints of one group of ports into slices: they stay where they are, changed slices are filled up first, then
// the fullest one that has room for all that is left, then new ones. Pure.

import type { Endpoint, EndpointSlice } from '#kinds'
import { endpointKey, isSameEndpoint } from './endpoint.ts'
import { wantsAutoHints } from './hints.ts'
import { newSlice, type SliceParts, withLabels } from './slice.ts'

const maxEndpoints = 100

export interface Filling extends SliceParts {
  readonly endpoints: readonly Endpoint[]
  readonly slices: readonly EndpointSlice[]
  /** Further slices of these ports: right as they are, with endpoints that are none of the above. */
  readonly others: readonly EndpointSlice[]
}

export interface Part {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  readonly remove: readonly EndpointSlice[]
}

interface Kept {
  readonly slice: EndpointSlice
  endpoints: readonly Endpoint[]
  changed: boolean
}

export function fillSlices(filling: Filling): Part {
  const { service, endpoints } = filling
  const missing = new Map<string, Endpoint>()
  for (const endpoint of endpoints) missing.set(endpointKey(endpoint), endpoint)
  const ignoreHints = wantsAutoHints(service)
  const kept = filling.slices.map((slice) => stayingIn(slice, missing, ignoreHints))
  const all = [...kept, ...filling.others.map((slice) => ({ slice, endpoints: slice.endpoints ?? [], changed: false }))]
  const waiting = [...missing.values()]
  const fillUp = (part: Kept): void => {
    part.changed = true
    part.endpoints = [...part.endpoints, ...waiting.splice(0, maxEndpoints - part.endpoints.length)]
  }
  const changed = kept.filter(
    (part) => part.endpoints.length > 0 && (part.changed || withLabels(part.slice, service) !== part.slice),
  )
  if (waiting.length > 0) for (const part of changed.sort(byFullness)) fillUp(part)
  const create: EndpointSlice[] = []
  while (waiting.length > 0) {
    const room = roomFor(all, waiting.length)
    if (room === undefined) create.push(newSlice(filling, waiting.splice(0, maxEndpoints)))
    else fillUp(room)
  }
  const update = all.flatMap((part) => {
    if (part.endpoints.length === 0) return []
    const labelled = withLabels(part.slice, service)
    return part.changed ? [{ ...labelled, endpoints: part.endpoints }] : labelled === part.slice ? [] : [labelled]
  })
  return { create, update, remove: kept.filter((part) => part.endpoints.length === 0).map(({ slice }) => slice) }
}

/** What of a slice stays; it is taken out of `missing`. */
function stayingIn(slice: EndpointSlice, missing: Map<string, Endpoint>, ignoreHints: boolean): Kept {
  const before = slice.endpoints ?? []
  const staying: Endpoint[] = []
  let changed = false
  for (const endpoint of before) {
    const key = endpointKey(endpoint)
    const wanted = missing.get(key)
    if (wanted === undefined) continue
    missing.delete(key)
    const isSame = isSameEndpoint(wanted, endpoint, ignoreHints)
    changed ||= !isSame
    staying.push(isSame ? endpoint : wanted)
  }
  return { slice, endpoints: staying, changed: changed || staying.length !== before.length }
}

/** The fuller first; of equal ones, the first by name. */
const byFullness = (a: Kept, b: Kept): number =>
  b.endpoints.length - a.endpoints.length || ((a.slice.metadata.name ?? '') < (b.slice.metadata.name ?? '') ? -1 : 1)

/** The fullest untouched slice that has room for all that is left. */
function roomFor(kept: readonly Kept[], count: number): Kept | undefined {
  let best: Kept | undefined
  for (const part of kept) {
    const size = part.endpoints.length
    if (part.changed || size === 0 || size + count > maxEndpoints) continue
    if (best === undefined || byFullness(part, best) < 0) best = part
  }
  return best
}
