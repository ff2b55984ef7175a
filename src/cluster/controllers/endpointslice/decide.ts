// Spreads the endpoints of a Service over EndpointSlices with as few changes as possible: endpoints stay where they are,
// slices hold at most 100, slices of other ports are reused rather than deleted and made again. Pure. Follows the
// reconciler of k8s.io/endpointslice.

import { type Endpoint, type EndpointSlice, type Node, type Pod, Service } from '#kinds'
import { isEqual, type KubeObject } from '#objects'
import { controllerReference } from '../claims.ts'
import {
  type AddressType,
  changeTime,
  hasClusterAddress,
  headlessLabel,
  isEndpoint,
  withTrigger,
} from '../endpoint-rules.ts'
import { endpointKey, memberOf } from './endpoint.ts'
import { type EndpointPort, inOrder, portKey } from './ports.ts'

export const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
export const controllerName = 'endpointslice-controller.k8s.io'
export const serviceNameLabel = 'kubernetes.io/service-name'
const maxEndpoints = 100

export interface Observed {
  readonly service: Service
  /** Pods that the Service selects, in order of names. */
  readonly pods: readonly Pod[]
  readonly nodeOf: (name: string) => Node | undefined
  /** The Service's slices that are not being deleted. */
  readonly slices: readonly EndpointSlice[]
}

export interface Decision {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  readonly remove: readonly EndpointSlice[]
  /** Pods that were left out because their node is unknown. */
  readonly skipped: readonly Pod[]
}

export function decideSlices(observed: Observed): Decision {
  const types = addressTypes(observed.service)
  const unsupported = observed.slices.filter(({ addressType }) => !types.includes(addressType as AddressType))
  const parts = types.map((type) => decideOfType(observed, type))
  const trigger = changeTime(observed.service, observed.pods.filter(isEndpoint), shownPods(observed.slices))
  return {
    create: parts.flatMap(({ create }) => create).map((slice) => withTrigger(slice, trigger)),
    update: parts.flatMap(({ update }) => update).map((slice) => withTrigger(slice, trigger)),
    remove: [...unsupported, ...parts.flatMap(({ remove }) => remove)],
    skipped: parts[0]?.skipped ?? [],
  }
}

function addressTypes({ spec }: Service): readonly AddressType[] {
  const families = (spec.ipFamilies ?? []).filter(
    (family): family is AddressType => family === 'IPv4' || family === 'IPv6',
  )
  if (families.length > 0) return families
  return [spec.clusterIP?.includes(':') === true ? 'IPv6' : 'IPv4']
}

function decideOfType(observed: Observed, type: AddressType): Decision {
  const { service } = observed
  const slices = observed.slices.filter(({ addressType }) => addressType === type)
  const mine = slices.filter((slice) => isOwnedBy(slice, service))
  const { groups, skipped } = desiredEndpoints(observed, type)
  const parts = [...groups.values()].map(({ ports, endpoints }) => {
    const key = portKey(ports)
    return fillSlices({
      service,
      type,
      ports,
      endpoints,
      slices: mine.filter((slice) => portKey(slice.ports ?? []) === key),
    })
  })
  const create = parts.flatMap((part) => part.create)
  const update = parts.flatMap((part) => part.update)
  const otherPorts = mine.filter((slice) => !groups.has(portKey(slice.ports ?? [])))
  const foreign = slices.filter((slice) => !mine.includes(slice))
  const remove = [...foreign, ...otherPorts, ...parts.flatMap((part) => part.remove)]
  if (slices.length === remove.length && create.length === 0)
    return withPlaceholder({ create, update, remove, skipped }, service, type)
  return reuse({ create, update, remove, skipped }, service)
}

interface PortGroup {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: Endpoint[]
}

/** Endpoints by the ports they have: pods may disagree on the number of a named port. */
function desiredEndpoints(
  { service, pods, nodeOf }: Observed,
  type: AddressType,
): { readonly groups: Map<string, PortGroup>; readonly skipped: readonly Pod[] } {
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

interface Filling extends PortGroup {
  readonly service: Service
  readonly type: AddressType
  readonly slices: readonly EndpointSlice[]
}

type Part = Pick<Decision, 'create' | 'update' | 'remove'>

function fillSlices(filling: Filling): Part {
  const { service, endpoints } = filling
  const missing = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]))
  const kept = filling.slices.map((slice) => {
    const staying = (slice.endpoints ?? []).flatMap((endpoint) => {
      const wanted = missing.get(endpointKey(endpoint))
      if (wanted !== undefined) missing.delete(endpointKey(endpoint))
      return wanted === undefined ? [] : [isEqual(wanted, endpoint) ? endpoint : wanted]
    })
    const same =
      staying.length === (slice.endpoints ?? []).length &&
      staying.every((endpoint, i) => endpoint === slice.endpoints[i])
    return { slice, endpoints: staying, changed: !same }
  })
  const waiting = [...missing.values()]
  const changed = kept
    .filter((part) => part.changed && part.endpoints.length > 0)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)
  for (const part of changed) part.endpoints.push(...waiting.splice(0, maxEndpoints - part.endpoints.length))
  const create: EndpointSlice[] = []
  while (waiting.length > 0) {
    const room = roomFor(kept, waiting.length)
    if (room !== undefined) {
      room.changed = true
      room.endpoints.push(...waiting.splice(0))
    } else create.push(newSlice(filling, waiting.splice(0, maxEndpoints)))
  }
  const staying = kept.filter((part) => part.endpoints.length > 0)
  const update = staying.flatMap((part) => {
    const labelled = withLabels(part.slice, service)
    return part.changed ? [{ ...labelled, endpoints: part.endpoints }] : labelled === part.slice ? [] : [labelled]
  })
  return { create, update, remove: kept.filter((part) => part.endpoints.length === 0).map(({ slice }) => slice) }
}

interface Kept {
  readonly slice: EndpointSlice
  readonly endpoints: Endpoint[]
  changed: boolean
}

/** The fullest untouched slice that has room for all that is left. */
function roomFor(kept: readonly Kept[], count: number): Kept | undefined {
  const fitting = kept.filter(
    (part) => !part.changed && part.endpoints.length > 0 && part.endpoints.length + count <= maxEndpoints,
  )
  return fitting.sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
}

/** A Service always has a slice, if only an empty one. */
function withPlaceholder(decision: Decision, service: Service, type: AddressType): Decision {
  const [only] = decision.remove
  const placeholder = newSlice({ service, type, ports: [] }, [])
  const stays = decision.remove.length === 1 && only !== undefined && isPlaceholder(only, placeholder)
  return stays ? { ...decision, remove: [] } : reuse({ ...decision, create: [placeholder] }, service)
}

const isPlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice): boolean =>
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  isEqual(slice.metadata.labels, placeholder.metadata.labels) &&
  isEqual(slice.metadata.ownerReferences, placeholder.metadata.ownerReferences)

/** Turns pairs of a slice to delete and one to create into an update. */
function reuse({ create, update, remove, skipped }: Decision, service: Service): Decision {
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
    skipped,
  }
}

function newSlice(
  { service, type, ports }: Pick<Filling, 'service' | 'type' | 'ports'>,
  endpoints: readonly Endpoint[],
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace ?? '',
      labels: labelsOf(service),
      ownerReferences: [controllerReference(Service, service)],
    },
    addressType: type,
    endpoints: orNull(endpoints),
    ports: orNull(inOrder(ports)),
  }
}

/** Lists that must be written even when they are empty are null then, as Go writes them. */
export const orNull = <T>(list: readonly T[]): readonly T[] =>
  list.length === 0 ? (null as unknown as readonly T[]) : list

const reserved: ReadonlySet<string> = new Set([managedByLabel, serviceNameLabel, headlessLabel])

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !reserved.has(key))
  return {
    ...Object.fromEntries(own),
    ...(hasClusterAddress(service) ? {} : { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name ?? '',
    [managedByLabel]: controllerName,
  }
}

function withLabels(slice: EndpointSlice, service: Service): EndpointSlice {
  const labels = labelsOf(service)
  return isEqual(labels, slice.metadata.labels) ? slice : { ...slice, metadata: { ...slice.metadata, labels } }
}

export const isOwnedBy = (object: KubeObject, owner: KubeObject): boolean =>
  object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) === true

/** The pods that the slices show, and whether as serving; undefined when there are no slices yet. */
function shownPods(slices: readonly EndpointSlice[]): ReadonlyMap<string, boolean> | undefined {
  if (slices.length === 0) return undefined
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? [])
  return new Map(endpoints.map(({ targetRef, conditions }) => [targetRef?.uid ?? '', conditions?.serving === true]))
}
