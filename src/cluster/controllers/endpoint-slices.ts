// What those who keep EndpointSlices agree on: by which labels a slice is theirs, which change of one concerns them, and the
// order in which ports are written. Kubernetes orders them by the MD5 of their Go representation; so do we, since clients see
// that order. Pure.

import { type DiscoveryV1EndpointPort, EndpointSlice } from '#kinds'
import type { Index, KeysOf } from '#reconcile'
import { md5 } from './endpoint-rules.ts'

export type EndpointPort = DiscoveryV1EndpointPort

export const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
export const serviceNameLabel = 'kubernetes.io/service-name'

/** The Service whose endpoints a slice shows, if `keeper` keeps it. */
function serviceOf({ metadata }: EndpointSlice, keeper: string): string | undefined {
  const name = metadata.labels?.[serviceNameLabel]
  if (name === undefined || metadata.labels?.[managedByLabel] !== keeper) return undefined
  return `${metadata.namespace}/${name}`
}

/** A keeper's slices by their Service. */
export const slicesOf = (keeper: string): Index<EndpointSlice> => ({
  name: `service-${keeper}`,
  kind: EndpointSlice,
  values: (slice) => {
    const key = serviceOf(slice, keeper)
    return key === undefined ? none : [key]
  },
})

/** Services of which a slice came, went, changed, or was given to somebody else. What annotations say is nobody's business. */
export const touchedServices =
  (keeper: string): KeysOf<EndpointSlice> =>
  (slice, old) => {
    const key = serviceOf(slice, keeper)
    const before = old === undefined ? undefined : serviceOf(old, keeper)
    if (key === before && slice.metadata.generation === old?.metadata.generation) return none
    if (key === undefined) return before === undefined ? none : [before]
    return before === undefined || before === key ? [key] : [key, before]
  }

const none: readonly string[] = []

export function inOrder(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  if (ports.length < 2) return ports
  return ports
    .map((port) => ({ port, hash: md5(goText(port)) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ port }) => port)
}

const keys = new WeakMap<readonly EndpointPort[], string>()

/** Equal for ports that belong into the same slice. */
export function portKey(ports: readonly EndpointPort[]): string {
  const known = keys.get(ports)
  if (known !== undefined) return known
  const key = inOrder(ports).map(goText).join()
  keys.set(ports, key)
  return key
}

const goText = ({ name, protocol, port, appProtocol }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(*string)${name ?? '<nil>'} Protocol:(*v1.Protocol)${protocol ?? '<nil>'} ` +
  `Port:(*int32)${port ?? '<nil>'} AppProtocol:(*string)${appProtocol ?? '<nil>'}}`
