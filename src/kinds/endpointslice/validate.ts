// Faults of EndpointSlices (pkg/apis/discovery/validation).

import { Elements } from '#objects'
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../field-error.ts'
import type { DiscoveryV1EndpointPort, Endpoint, EndpointSlice } from '../generated/types.ts'
import { dnsLabel, dnsSubdomain, immutableText, qualifiedName } from '../metadata/formats.ts'
import { checkLabelName } from '../metadata/validate.ts'
import { checkNonSpecialAddress, familyOf } from '../network/addresses.ts'
import { protocols } from '../network/ports.ts'

const maxEndpoints = 1000
const maxPorts = 20_000
const maxAddresses = 100
const maxTopologyKeys = 16
const maxZoneHints = 8
const addressTypes: readonly string[] = ['FQDN', 'IPv4', 'IPv6']

/** Endpoints that `old`, which was found good, has too are not looked at again. */
export function validateEndpointSlice(slice: EndpointSlice, old?: EndpointSlice): readonly FieldError[] {
  const errors: FieldError[] = []
  const addressType: string = slice.addressType ?? ''
  if (addressType === '') errors.push(required('addressType'))
  else if (!addressTypes.includes(addressType)) errors.push(notSupported('addressType', addressType, addressTypes))
  checkPorts(slice.ports ?? [], errors)
  const endpoints = slice.endpoints ?? []
  if (endpoints.length > maxEndpoints) errors.push(tooMany('endpoints', endpoints.length, maxEndpoints))
  else {
    const known = new Elements(old?.addressType === slice.addressType ? (old.endpoints ?? []) : [])
    endpoints.forEach((endpoint, i) => {
      if (!known.has(endpoint)) checkEndpoint(endpoint, addressType, { path: `endpoints[${i}]`, errors })
    })
  }
  return errors
}

export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice): readonly FieldError[] {
  const errors = [...validateEndpointSlice(slice, old)]
  if (slice.addressType !== old.addressType) errors.push(invalid('addressType', slice.addressType, immutableText))
  return errors
}

function checkPorts(ports: readonly DiscoveryV1EndpointPort[], errors: FieldError[]): void {
  if (ports.length > maxPorts) {
    errors.push(tooMany('ports', ports.length, maxPorts))
    return
  }
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = `ports[${i}]`
    const name = port.name ?? ''
    if (name !== '') for (const text of dnsLabel(name)) errors.push(invalid(`${at}.name`, name, text))
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    const protocol: string = port.protocol ?? ''
    if (protocol === '') errors.push(required(`${at}.protocol`))
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols))
    if (port.appProtocol !== undefined)
      for (const text of qualifiedName(port.appProtocol))
        errors.push(invalid(`${at}.appProtocol`, port.appProtocol, text))
  })
}

interface Target {
  readonly path: string
  readonly errors: FieldError[]
}

function checkEndpoint(endpoint: Endpoint, addressType: string, { path, errors }: Target): void {
  const addresses = endpoint.addresses ?? []
  if (addresses.length === 0) errors.push(required(`${path}.addresses`, 'must contain at least 1 address'))
  else if (addresses.length > maxAddresses) errors.push(tooMany(`${path}.addresses`, addresses.length, maxAddresses))
  addresses.forEach((address, i) => {
    checkAddressOf(address, addressType, { path: `${path}.addresses`, index: i, errors })
  })
  const { nodeName, deprecatedTopology = {}, hostname, hints } = endpoint
  if (nodeName !== undefined)
    for (const text of dnsSubdomain(nodeName)) errors.push(invalid(`${path}.nodeName`, nodeName, text))
  const topology = Object.keys(deprecatedTopology)
  if (topology.length > maxTopologyKeys)
    errors.push(tooMany(`${path}.deprecatedTopology`, topology.length, maxTopologyKeys))
  for (const key of topology.sort()) checkLabelName(key, `${path}.deprecatedTopology`, errors)
  if (hostname !== undefined)
    for (const text of dnsLabel(hostname)) errors.push(invalid(`${path}.hostname`, hostname, text))
  checkHints(hints?.forZones ?? [], `${path}.hints.forZones`, errors)
  checkHints(hints?.forNodes ?? [], `${path}.hints.forNodes`, errors)
}

function checkAddressOf(address: string, type: string, target: Target & { readonly index: number }): void {
  const { path, index, errors } = target
  if (type === 'FQDN') {
    for (const text of dnsSubdomain(address)) errors.push(invalid(path, address, text))
    return
  }
  const family = familyOf(address)
  if (type === 'IPv4' && family !== 4) errors.push(invalid(path, address, 'must be an IPv4 address'))
  if (type === 'IPv6' && family !== 6) errors.push(invalid(path, address, 'must be an IPv6 address'))
  if (type === 'IPv4' || type === 'IPv6') checkNonSpecialAddress(address, `${path}[${index}]`, errors)
}

function checkHints(hints: readonly { readonly name: string }[], path: string, errors: FieldError[]): void {
  if (hints.length > maxZoneHints) {
    errors.push(tooMany(path, hints.length, maxZoneHints))
    return
  }
  const names = new Set<string>()
  hints.forEach(({ name = '' }, i) => {
    if (names.has(name)) errors.push(duplicate(`${path}[${i}].name`, name))
    names.add(name)
    checkLabelName(name, `${path}[${i}].name`, errors)
  })
}
