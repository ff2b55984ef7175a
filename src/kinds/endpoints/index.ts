// Endpoints (v1).

import { Elements } from '#objects'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { type CoreV1EndpointPort, type EndpointAddress, Endpoints } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { dnsLabel, dnsSubdomain, portNumber, qualifiedName } from '../metadata/formats.ts'
import { checkAddress, checkNonSpecialAddress, joinHostPort } from '../network/addresses.ts'
import { addressWarnings } from '../network/forms.ts'
import { protocols } from '../network/ports.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

/** Addresses that `old`, which was found good, has at the same place are not looked at again. */
function validate({ subsets = [] }: Endpoints, old?: Endpoints): readonly FieldError[] {
  const errors: FieldError[] = []
  subsets.forEach((subset, i) => {
    const before = old?.subsets?.[i]
    const known = new Elements(before?.addresses ?? [])
    const knownUnready = new Elements(before?.notReadyAddresses ?? [])
    const at = `subsets[${i}]`
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      errors.push(required(at, 'must specify `addresses` or `notReadyAddresses`'))
    addresses.forEach((address, j) => {
      if (!known.has(address)) checkEndpoint(address, `${at}.addresses[${j}]`, errors)
    })
    notReadyAddresses.forEach((address, j) => {
      if (!knownUnready.has(address)) checkEndpoint(address, `${at}.notReadyAddresses[${j}]`, errors)
    })
    ports.forEach((port, j) => {
      checkPort(port, ports.length > 1, { path: `${at}.ports[${j}]`, errors })
    })
  })
  return errors
}

function checkEndpoint({ ip = '', hostname, nodeName }: EndpointAddress, path: string, errors: FieldError[]): void {
  checkAddress(ip, `${path}.ip`, errors)
  if (hostname) for (const fault of dnsLabel(hostname)) errors.push(invalid(`${path}.hostname`, hostname, fault))
  if (nodeName !== undefined)
    for (const fault of dnsSubdomain(nodeName)) errors.push(invalid(`${path}.nodeName`, nodeName, fault))
  checkNonSpecialAddress(ip, `${path}.ip`, errors)
}

function checkPort(
  port: CoreV1EndpointPort,
  needsName: boolean,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (!port.name) {
    if (needsName) errors.push(required(`${path}.name`))
  } else for (const fault of dnsLabel(port.name)) errors.push(invalid(`${path}.name`, port.name, fault))
  for (const fault of portNumber(port.port ?? 0)) errors.push(invalid(`${path}.port`, port.port ?? 0, fault))
  if (!port.protocol) errors.push(required(`${path}.protocol`))
  else if (!protocols.includes(port.protocol)) errors.push(notSupported(`${path}.protocol`, port.protocol, protocols))
  if (port.appProtocol !== undefined)
    for (const fault of qualifiedName(port.appProtocol))
      errors.push(invalid(`${path}.appProtocol`, port.appProtocol, fault))
}

/** The loop that makes Endpoints of Services knows what it writes. */
function warnings({ subsets = [], metadata }: Endpoints): readonly string[] {
  if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return []
  return subsets.flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((list) =>
      (subset[list] ?? []).flatMap(({ ip }, j) => addressWarnings(ip, `subsets[${i}].${list}[${j}].ip`)),
    ),
  )
}

function addressesText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length > 0
      ? ports.flatMap(({ port }) => addresses.map(({ ip }) => joinHostPort(ip, port)))
      : addresses.map(({ ip }) => ip),
  )
  const shown = all.slice(0, 3).join(',')
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown
}

export const endpointsRules: KindRules<Endpoints> = {
  kind: Endpoints,
  generation: 'none',
  allowCreateOnUpdate: true,
  defaults: (endpoints) =>
    withDefaults(endpoints, {
      subsets:
        endpoints.subsets &&
        mapShared(endpoints.subsets, (subset) =>
          withDefaults(subset, {
            ports:
              subset.ports &&
              mapShared(subset.ports, (port) => withDefaults(port, { protocol: port.protocol || 'TCP' })),
          }),
        ),
    }),
  validate: (endpoints) => validate(endpoints),
  validateUpdate: validate,
  warnings,
  columns: [
    nameColumn,
    text(
      'Endpoints',
      'The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they share. A single address with multiple ports, some of which are ready and some of which are not (because they come from different containers) will result in the address being displayed in different subsets for the different ports. No address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.',
      addressesText,
    ),
    ageColumn,
  ],
}
