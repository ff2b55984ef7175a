// EndpointSlice (discovery.k8s.io/v1).

import { isEqual } from '#objects'
import { type DiscoveryV1EndpointPort, EndpointSlice } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { addressWarnings } from '../network/forms.ts'
import { mapShared, withDefaults, without } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { validateEndpointSlice, validateEndpointSliceUpdate } from './validate.ts'

const portDefaults = (port: DiscoveryV1EndpointPort): DiscoveryV1EndpointPort =>
  withDefaults(port, { name: port.name ?? '', protocol: port.protocol ?? 'TCP' })

/** What the beta version knew of a node is dropped from endpoints that are written anew. */
function withoutTopology(slice: EndpointSlice, old?: EndpointSlice): EndpointSlice {
  const { endpoints } = slice
  if (!endpoints || (old !== undefined && isEqual(endpoints, old.endpoints))) return slice
  return withDefaults(slice, { endpoints: mapShared(endpoints, (endpoint) => without(endpoint, 'deprecatedTopology')) })
}

/** Everything but most of the metadata counts. */
function generation(slice: EndpointSlice, old: EndpointSlice): boolean {
  return (
    !isEqual({ ...slice, metadata: undefined }, { ...old, metadata: undefined }) ||
    !isEqual(slice.metadata.labels, old.metadata.labels)
  )
}

const maxListed = 3

function listed(values: readonly (string | number)[]): string {
  const text = values.slice(0, maxListed).join(',')
  return values.length > maxListed ? `${text} + ${values.length - maxListed} more...` : text || '<unset>'
}

const portsText = ({ ports }: EndpointSlice): string =>
  listed((ports ?? []).map(({ port, name }) => port ?? name ?? '*'))

const addressesText = ({ endpoints }: EndpointSlice): string =>
  listed((endpoints ?? []).flatMap(({ addresses }) => addresses))

const columns: readonly Column<EndpointSlice>[] = [
  nameColumn,
  text(
    'AddressType',
    'addressType specifies the type of address carried by this EndpointSlice. All addresses in this slice must be the same type. This field is immutable after creation. The following address types are currently supported: * IPv4: Represents an IPv4 Address. * IPv6: Represents an IPv6 Address. * FQDN: Represents a Fully Qualified Domain Name.',
    ({ addressType }) => addressType,
  ),
  text(
    'Ports',
    'ports specifies the list of network ports exposed by each endpoint in this slice. Each port must have a unique name. When ports is empty, it indicates that there are no defined ports. When a port is defined with a nil port value, it indicates "all ports". Each slice may include a maximum of 100 ports.',
    portsText,
  ),
  text(
    'Endpoints',
    'endpoints is a list of unique endpoints in this slice. Each slice may include a maximum of 1000 endpoints.',
    addressesText,
  ),
  ageColumn,
]

const warnings = ({ addressType, endpoints }: EndpointSlice, old: EndpointSlice | undefined): readonly string[] => [
  ...(addressType === 'FQDN' && old === undefined ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
  // An absent list is null in an object that has been decoded.
  ...(endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).flatMap((address, j) => addressWarnings(address, `endpoints[${i}].addresses[${j}]`)),
  ),
]

export const endpointSliceRules: KindRules<EndpointSlice> = {
  kind: EndpointSlice,
  metaOnUpdate: 'm',
  generation,
  defaults: (slice) => withDefaults(slice, { ports: slice.ports && mapShared(slice.ports, portDefaults) }),
  prepareForCreate: (slice) => withoutTopology(slice),
  prepareForUpdate: withoutTopology,
  validate: validateEndpointSlice,
  validateUpdate: validateEndpointSliceUpdate,
  warnings,
  columns,
}
