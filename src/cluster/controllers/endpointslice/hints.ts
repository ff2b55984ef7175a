// Topology hints by `service.kubernetes.io/topology-mode: Auto`: each ready endpoint is for its own zone, and as many as
// needed are given to zones that have too few for their share of the CPU. Pure. Follows AddHints of k8s.io/endpointslice.

import type { Endpoint, EndpointSlice, Service } from '#kinds'
import { isEqual } from '#objects'
import { overloadThreshold, type ZoneCounts } from './topology.ts'

const annotations = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode']

/** The older annotation comes first, whatever it says. */
export function wantsAutoHints({ metadata }: Service): boolean {
  const key = annotations.find((name) => metadata.annotations?.[name] !== undefined)
  const mode = key === undefined ? undefined : metadata.annotations?.[key]
  return mode === 'Auto' || mode === 'auto'
}

export interface Hinted {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  /** How many endpoints are for each zone; undefined: no hints are given. */
  readonly counts: ZoneCounts | undefined
  /** Why there are none. */
  readonly problem?: string
}

export interface Slices {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  readonly unchanged: readonly EndpointSlice[]
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true

export function addHints(slices: Slices, ratios: ZoneCounts | undefined): Hinted {
  const all = [...slices.create, ...slices.update, ...slices.unchanged].flatMap(({ endpoints }) => endpoints ?? [])
  const allocations = allocate(all.filter(isReady).length, ratios)
  if (typeof allocations === 'string') return without(slices, allocations)
  const counts = new Map<string, number>()
  const again: EndpointSlice[] = []
  for (const slice of slices.unchanged) {
    const own = countsOf(slice, counts, allocations)
    if (own === undefined) again.push(slice)
    else for (const [zone, count] of own) counts.set(zone, (counts.get(zone) ?? 0) + count)
  }
  const open = [...slices.create, ...slices.update, ...again]
  const endpoints = open.flatMap((slice) => slice.endpoints ?? [])
  if (endpoints.some((endpoint) => isReady(endpoint) && (endpoint.zone ?? '') === ''))
    return without(slices, 'One or more endpoints do not have a zone specified')
  const zones = endpoints.map((endpoint) => (isReady(endpoint) ? endpoint.zone : undefined))
  for (const zone of zones) if (zone !== undefined) counts.set(zone, (counts.get(zone) ?? 0) + 1)
  redistribute(zones, counts, allocations)
  if (counts.size === 0) return without(slices, 'No hints allocated for zones')
  let at = 0
  const rewritten = new Map(
    open.map((slice) => [
      slice,
      {
        ...slice,
        endpoints: (slice.endpoints ?? []).map((endpoint) => withHint(endpoint, zones[at++])),
      },
    ]),
  )
  const rewrite = (slice: EndpointSlice): EndpointSlice =>
    (slice.endpoints ?? []).length === 0 ? slice : (rewritten.get(slice) ?? slice)
  return {
    create: slices.create.map(rewrite),
    update: [...slices.update.map(rewrite), ...again.map(rewrite).filter((slice, i) => !isEqual(slice, again[i]))],
    counts,
  }
}

function withHint({ hints: _, ...endpoint }: Endpoint, zone: string | undefined): Endpoint {
  return zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } }
}

/** Takes all hints away. */
function without({ create, update, unchanged }: Slices, problem: string): Hinted {
  const hasHints = (slice: EndpointSlice): boolean => (slice.endpoints ?? []).some(({ hints }) => hints !== undefined)
  const bare = (slice: EndpointSlice): EndpointSlice =>
    hasHints(slice) ? { ...slice, endpoints: slice.endpoints.map((endpoint) => withHint(endpoint, undefined)) } : slice
  return {
    create: create.map(bare),
    update: [...update.map(bare), ...unchanged.filter(hasHints).map(bare)],
    counts: undefined,
    problem,
  }
}

interface Allocation {
  readonly desired: number
  readonly maximum: number
}

type Allocations = ReadonlyMap<string, Allocation>

/** How many endpoints each zone should have; or why that cannot be had. */
function allocate(count: number, ratios: ZoneCounts | undefined): Allocations | string {
  if (ratios === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes'
  const figures = `(${count} endpoints, ${ratios.size} zones)`
  if (ratios.size > count) return `Insufficient number of endpoints ${figures}`
  const minimums = [...ratios].map(([zone, ratio]) => {
    const desired = ratio * count
    return { zone, desired, minimum: Math.ceil(desired * (1 / (1 + overloadThreshold))) }
  })
  const total = minimums.reduce((sum, { minimum }) => sum + minimum, 0)
  if (total > count)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${figures}`
  return new Map(
    minimums.map(({ zone, desired, minimum }) => [
      zone,
      { desired: Math.max(desired, minimum), maximum: minimum + count - total },
    ]),
  )
}

/** The hints of a slice that can stay as it is; undefined when it cannot. */
function countsOf(slice: EndpointSlice, given: ZoneCounts, allocations: Allocations): ZoneCounts | undefined {
  const counts = new Map<string, number>()
  for (const endpoint of slice.endpoints ?? []) {
    if (!isReady(endpoint)) continue
    const zones = endpoint.hints?.forZones ?? []
    if (zones.length === 0 || zones.some(({ name }) => !allocations.has(name))) return undefined
    for (const { name } of zones) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [zone, count] of counts)
    if (count + (given.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? 0)) return undefined
  return counts
}

/** Gives endpoints of zones that have more than their share to those that have less, whole ones only. */
function redistribute(zones: (string | undefined)[], counts: Map<string, number>, allocations: Allocations): void {
  const surplus = new Map<string, number>()
  const lack = new Map<string, number>()
  for (const [zone, { desired }] of allocations) {
    const difference = (counts.get(zone) ?? 0) - desired
    if (difference > 0) surplus.set(zone, difference)
    else if (difference < 0) lack.set(zone, -difference)
  }
  for (;;) {
    const [giver, toGive] = most(surplus)
    const [taker, toTake] = most(lack)
    if (giver === '' || taker === '' || (toGive < 1 && toTake < 1) || toGive < 0.5 || toTake < 0.5) return
    surplus.set(giver, toGive - 1)
    lack.set(taker, toTake - 1)
    const at = zones.indexOf(giver)
    // What the slices that stay show cannot be given away.
    if (at < 0) continue
    zones[at] = taker
    counts.set(giver, (counts.get(giver) ?? 0) - 1)
    counts.set(taker, (counts.get(taker) ?? 0) + 1)
  }
}

function most(zones: ZoneCounts): readonly [zone: string, count: number] {
  let best: readonly [string, number] = ['', 0]
  for (const entry of zones) if (entry[1] > best[1]) best = entry
  return best
}
