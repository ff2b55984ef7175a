// What the Endpoints object of a Service says. Pure. Follows syncService of Kubernetes' endpoints controller.

import type { Container, CoreV1EndpointPort as EndpointPort, EndpointSubset, Endpoints, Pod, Service } from '#kinds'
import { isEqual } from '#objects'
import { isTerminating } from '#reconcile'
import {
  addressesOf,
  changeTime,
  hasClusterAddress,
  hasOwnName,
  headlessLabel,
  isEndpoint,
  portNumber,
  withTrigger,
} from '../endpoint-rules.ts'
import { byAddress, type Entry, packSubsets, portText } from '../endpoint-subsets.ts'
import { isPodReady } from '../pods.ts'
import { changedPods } from '../service-pods.ts'

export const managedByLabel = 'endpoints.kubernetes.io/managed-by'
export const controllerName = 'endpoint-controller'
const overCapacity = 'endpoints.kubernetes.io/over-capacity'
const maxAddresses = 1000

export interface Observed {
  readonly service: Service
  readonly pods: readonly Pod[]
  readonly current: Endpoints | undefined
}

/** The Endpoints as they should be; the current object when nothing has to change. */
export function decideEndpoints({ service, pods, current }: Observed): Endpoints {
  const { entries, members } = lookAt(service, pods)
  const packed = packSubsets(entries)
  const subsets = truncated(packed)
  const labels = labelsOf(service)
  if (current !== undefined && isEqual(current.subsets ?? [], subsets) && isEqual(current.metadata.labels, labels))
    return current
  const metadata = current?.metadata ?? {
    name: service.metadata.name ?? '',
    namespace: service.metadata.namespace ?? '',
  }
  const annotations = annotationsOf(metadata.annotations, subsets !== packed)
  const { annotations: _, labels: _before, ...rest } = metadata
  const endpoints: Endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: annotations === undefined ? { labels, ...rest } : { labels, annotations, ...rest },
    ...(subsets.length === 0 ? {} : { subsets }),
  }
  return withTrigger(endpoints, changeTime(service, members, shownPods(current)))
}

interface Looked {
  readonly entries: readonly Entry[]
  /** The pods that were looked at: those that are not what they were. */
  readonly members: readonly Pod[]
}

/** What a list of pods came to: a fact about immutable objects, by which the next list is told apart. */
const known = new WeakMap<Service, { readonly pods: readonly Pod[]; readonly entries: readonly Entry[] }>()

/** The entries of all pods by address. Most pods of a Service are what they were when it was last looked at. */
function lookAt(service: Service, pods: readonly Pod[]): Looked {
  const before = known.get(service)
  const changed = before === undefined ? undefined : changedPods(before.pods, pods)
  const isPartly = before !== undefined && changed !== undefined && changed.size * 4 < pods.length
  const entries: Entry[] = []
  const members: Pod[] = []
  if (isPartly)
    for (const entry of before.entries) if (!changed.has(entry.address.targetRef?.uid ?? '')) entries.push(entry)
  const showsEnding = service.spec.publishNotReadyAddresses === true
  for (const pod of pods) {
    if (isPartly && !changed.has(pod.metadata.uid ?? '')) continue
    if (!isEndpoint(pod) || (isTerminating(pod) && !showsEnding)) continue
    members.push(pod)
    for (const entry of entriesOf(pod, service)) entries.push(entry)
  }
  entries.sort(byAddress)
  known.set(service, { pods, entries })
  return { entries, members }
}

function entriesOf(pod: Pod, service: Service): readonly Entry[] {
  const type = service.spec.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4'
  const [ip] = addressesOf(pod, type)
  if (ip === undefined) return []
  const { nodeName, hostname } = pod.spec
  const { name = '', namespace = '', uid = '' } = pod.metadata
  const address = {
    ip,
    ...(hasOwnName(pod, service) && hostname !== undefined ? { hostname } : {}),
    // A pod that no scheduler has placed has an empty name there, unlike in slices.
    nodeName: nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
  const ready = service.spec.publishNotReadyAddresses === true || isPodReady(pod)
  if ((service.spec.ports ?? []).length === 0) return [{ address, ready, port: undefined, portText: '' }]
  return portsOf(service, pod).map(({ port, text }) => ({ address, ready, port, portText: text }))
}

interface PortOfPods {
  readonly port: EndpointPort
  readonly text: string
}

/** By the containers that they are ports of, which the pods of one owner share. */
const portsOfPods = new WeakMap<
  readonly Container[],
  { readonly service: Service; readonly ports: readonly PortOfPods[] }
>()

/** The Service's ports as they are on this pod; a named port that the pod does not have is left out. */
function portsOf(service: Service, pod: Pod): readonly PortOfPods[] {
  const { containers, initContainers } = pod.spec
  const known = initContainers === undefined ? portsOfPods.get(containers) : undefined
  if (known?.service === service) return known.ports
  const ports = (service.spec.ports ?? []).flatMap((port) => {
    const protocol = port.protocol ?? 'TCP'
    const number = portNumber(pod, port.targetPort ?? port.port, protocol)
    if (number === undefined) return []
    const { name: portName, appProtocol } = port
    const entry: EndpointPort = {
      ...(portName === undefined || portName === '' ? {} : { name: portName }),
      port: number,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }
    return [{ port: entry, text: portText(entry) }]
  })
  if (initContainers === undefined) portsOfPods.set(containers, { service, ports })
  return ports
}

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...own } = service.metadata.labels ?? {}
  return { ...own, ...(hasClusterAddress(service) ? {} : { [headlessLabel]: '' }), [managedByLabel]: controllerName }
}

function annotationsOf(
  old: Readonly<Record<string, string>> | undefined,
  isTruncated: boolean,
): Readonly<Record<string, string>> | undefined {
  const { [overCapacity]: _, ...rest } = old ?? {}
  const all = isTruncated ? { ...rest, [overCapacity]: 'truncated' } : rest
  return Object.keys(all).length === 0 ? undefined : all
}

/**
 * At most 1,000 addresses in all, the ready ones first, each subset its share of what does not fit whole; the same list when
 * there are no more.
 */
function truncated(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const count = (pick: (subset: EndpointSubset) => number): number =>
    subsets.reduce((total, subset) => total + pick(subset), 0)
  const ready = count((subset) => subset.addresses?.length ?? 0)
  const notReady = count((subset) => subset.notReadyAddresses?.length ?? 0)
  if (ready + notReady <= maxAddresses) return subsets
  const cutsReady = ready > maxAddresses
  const room = cutsReady ? maxAddresses : maxAddresses - ready
  const total = cutsReady ? ready : notReady
  let left = room
  const share = <T>(addresses: readonly T[]): readonly T[] => {
    const kept = addresses.slice(0, Math.min(left, Math.ceil((addresses.length / total) * room)))
    left -= kept.length
    return kept
  }
  return subsets.map(({ addresses = [], notReadyAddresses = [], ...subset }) => {
    const keptReady = cutsReady ? share(addresses) : addresses
    const keptNotReady = cutsReady ? [] : share(notReadyAddresses)
    return {
      ...subset,
      ...(keptReady.length === 0 ? {} : { addresses: keptReady }),
      ...(keptNotReady.length === 0 ? {} : { notReadyAddresses: keptNotReady }),
    }
  })
}

function shownPods(current: Endpoints | undefined): ReadonlyMap<string, boolean> | undefined {
  if (current === undefined) return undefined
  const shown = new Map<string, boolean>()
  for (const { addresses = [], notReadyAddresses = [] } of current.subsets ?? []) {
    for (const { targetRef } of addresses) shown.set(targetRef?.uid ?? '', true)
    for (const { targetRef } of notReadyAddresses) shown.set(targetRef?.uid ?? '', false)
  }
  return shown
}
