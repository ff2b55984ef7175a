// Spreads the endpoints of a Service over EndpointSlices with as few changes as possible: endpoints stay where they are,
// slices hold at most 100, slices of other ports are reused rather than deleted and made again. Follows the reconciler of
// k8s.io/endpointslice. Pure, but for what narrow.ts remembers of immutable objects.

import type { Endpoint, EndpointSlice, Node, Pod, Service } from '#kinds'
import { isEqual } from '#objects'
import { type AddressType, changeTime, isEndpoint, withTrigger } from '../endpoint-rules.ts'
import { type EndpointPort, portKey } from '../endpoint-slices.ts'
import { memberOf } from './endpoint.ts'
import { fillSlices, type Part } from './fill.ts'
import { addHints, wantsAutoHints } from './hints.ts'
import { narrow, remember } from './narrow.ts'
import { isOwnedBy, newSlice } from './slice.ts'
import type { ZoneCounts } from './topology.ts'

export interface Observed {
  readonly service: Service
  /** Pods that the Service selects; those that stay keep their order. */
  readonly pods: readonly Pod[]
  readonly nodeOf: (name: string) => Node | undefined
  /** Another value when nodes have come or gone or have another zone. */
  readonly nodesVersion?: number
  /** Shares of CPU of the zones; only for Services that want hints by annotation. */
  readonly ratios?: ZoneCounts | undefined
  /** The Service's slices that are not being deleted. */
  readonly slices: readonly EndpointSlice[]
}

/** What became of the hints that the annotation asks for. */
export interface HintsOfType {
  readonly type: AddressType
  readonly counts: ZoneCounts | undefined
  readonly problem?: string
}

export interface Decision extends Part {
  /** Pods that were left out because their node is unknown. */
  readonly skipped: readonly Pod[]
  readonly hints: readonly HintsOfType[]
}

export function decideSlices(observed: Observed): Decision {
  const { service, nodesVersion = 0 } = observed
  const types = addressTypes(service)
  const scene = { service, pods: observed.pods, slices: observed.slices, nodesVersion }
  // Two families share pods, and hints by annotation depend on all endpoints: there, all are looked at.
  const isNarrow = types.length === 1 && !wantsAutoHints(service)
  const narrowed = isNarrow ? narrow(scene) : { ...scene, others: [] }
  const { pods, slices, others } = narrowed
  const unsupported = slices.filter(({ addressType }) => !types.includes(addressType as AddressType))
  const parts = types.map((type) => decideOfType({ ...observed, pods, slices, others, type }))
  const trigger = changeTime(service, pods.filter(isEndpoint), shownPods(slices, others))
  const decision: Decision = {
    create: parts.flatMap(({ create }) => create).map((slice) => withTrigger(slice, trigger)),
    update: parts.flatMap(({ update }) => update).map((slice) => withTrigger(slice, trigger)),
    remove: [...unsupported, ...parts.flatMap(({ remove }) => remove)],
    skipped: parts[0]?.skipped ?? [],
    hints: parts.flatMap(({ hints }) => hints),
  }
  if (isNarrow) remember(scene, narrowed, [...decision.update, ...decision.remove])
  return decision
}

function addressTypes({ spec }: Service): readonly AddressType[] {
  const families = (spec.ipFamilies ?? []).filter(
    (family): family is AddressType => family === 'IPv4' || family === 'IPv6',
  )
  if (families.length > 0) return families
  return [spec.clusterIP?.includes(':') === true ? 'IPv6' : 'IPv4']
}

interface OfType extends Observed {
  readonly type: AddressType
  /** Slices that are right, and whose pods are not among `pods`. */
  readonly others: readonly EndpointSlice[]
}

function decideOfType(observed: OfType): Decision {
  const { service, type, others } = observed
  const slices = observed.slices.filter(({ addressType }) => addressType === type)
  const mine = slices.filter((slice) => isOwnedBy(slice, service))
  const { groups, skipped } = desiredEndpoints(observed)
  const keyed = (list: readonly EndpointSlice[], key: string) =>
    list.filter((slice) => portKey(slice.ports ?? []) === key)
  const parts = [...groups]
    .sort(byKey)
    .map(([key, { ports, endpoints }]) =>
      fillSlices({ service, type, ports, endpoints, slices: keyed(mine, key), others: keyed(others, key) }),
    )
  const create = parts.flatMap((part) => part.create)
  const update = parts.flatMap((part) => part.update)
  const otherPorts = mine.filter((slice) => !groups.has(portKey(slice.ports ?? [])))
  const foreign = slices.filter((slice) => !mine.includes(slice))
  const remove = [...foreign, ...otherPorts, ...parts.flatMap((part) => part.remove)]
  const isEmpty = slices.length + others.length === remove.length && create.length === 0
  const part = isEmpty
    ? withPlaceholder({ create, update, remove }, service, type)
    : reuse({ create, update, remove }, service)
  return { ...withHints(part, slices, observed), skipped }
}

/** Hints by annotation; those by `trafficDistribution` are part of what an endpoint should be. */
function withHints(
  part: Part,
  slices: readonly EndpointSlice[],
  { service, ratios, type }: OfType,
): Omit<Decision, 'skipped'> {
  if (!wantsAutoHints(service)) return { ...part, hints: [] }
  const names = new Set([...part.update, ...part.remove].map(({ metadata }) => metadata.name))
  const unchanged = slices.filter(({ metadata }) => !names.has(metadata.name))
  const { create, update, counts, problem } = addHints({ ...part, unchanged }, ratios)
  return {
    create,
    update,
    remove: part.remove,
    hints: [{ type, counts, ...(problem === undefined ? {} : { problem }) }],
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

interface PortGroup {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: Endpoint[]
}

/** Endpoints by the ports they have: pods may disagree on the number of a named port. */
function desiredEndpoints({ service, pods, nodeOf, type }: OfType): {
  readonly groups: Map<string, PortGroup>
  readonly skipped: readonly Pod[]
} {
  const groups = new Map<string, PortGroup>()
  const skipped: Pod[] = []
  for (const pod of pods) {
    if (!isEndpoint(pod)) continue
    const node = pod.spec.nodeName === undefined ? undefined : nodeOf(pod.spec.nodeName)
    if (node === undefined && service.spec.publishNotReadyAddresses !== true) {
      skipped.push(pod)
      continue
    }
    const member = memberOf(pod, service, { node, type })
    if (member === undefined) continue
    const group = groups.get(member.portKey)
    if (group === undefined) groups.set(member.portKey, { ports: member.ports, endpoints: [member.endpoint] })
    else group.endpoints.push(member.endpoint)
  }
  return { groups, skipped }
}

/** A Service always has a slice, if only an empty one. */
function withPlaceholder(part: Part, service: Service, type: AddressType): Part {
  const [only] = part.remove
  const placeholder = newSlice({ service, type, ports: [] }, [])
  const stays = part.remove.length === 1 && only !== undefined && isPlaceholder(only, placeholder)
  return stays ? { ...part, remove: [] } : reuse({ ...part, create: [placeholder] }, service)
}

const isPlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice): boolean =>
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  isEqual(slice.metadata.labels, placeholder.metadata.labels) &&
  isEqual(slice.metadata.ownerReferences, placeholder.metadata.ownerReferences)

/** Turns pairs of a slice to delete and one to create into an update. */
function reuse({ create, update, remove }: Part, service: Service): Part {
  const reusable = remove.filter((slice) => isOwnedBy(slice, service)).slice(0, create.length)
  const reused = reusable.flatMap((old, i) => {
    const slice = create[i]
    if (slice === undefined) return []
    const { labels, ownerReferences } = slice.metadata
    const metadata = {
      ...old.metadata,
      ...(labels === undefined ? {} : { labels }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    }
    return [{ ...slice, metadata }]
  })
  return {
    create: create.slice(reused.length),
    update: [...update, ...reused],
    remove: remove.filter((slice) => !reusable.includes(slice)),
  }
}

/** The pods that slices show, and whether as serving; undefined when there are no slices yet. */
function shownPods(
  slices: readonly EndpointSlice[],
  others: readonly EndpointSlice[],
): ReadonlyMap<string, boolean> | undefined {
  if (slices.length + others.length === 0) return undefined
  const shown = new Map<string, boolean>()
  for (const { endpoints } of slices)
    for (const { targetRef, conditions } of endpoints ?? [])
      shown.set(targetRef?.uid ?? '', conditions?.serving === true)
  return shown
}
