// Faults of EndpointSlices (pkg/apis/discovery/validation).

import { Elements } from '#objects'
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../field-error.ts'
import type { DiscoveryV1EndpointPort, Endpoint, EndpointSlice } from '../generated/types.ts'
import { dnsLabel, dnsSubdomain, immutableText, labelValue, qualifiedName } from '../metadata/formats.ts'
import { checkLabels } from '../metadata/validate.ts'
import { checkAddress, checkNonSpecialAddress, familyOf } from '../network/addresses.ts'
import { checkStandardAddress } from '../network/forms.ts'
import { protocols } from '../network/ports.ts'

const maxEndpoints = 1000
const maxPorts = 20_000
const maxAddresses = 100
const maxTopologyKeys = 16
const maxHints = 8
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
    const protocol: string | undefined = port.protocol
    if (protocol === undefined) errors.push(required(`${at}.protocol`))
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
  checkLabels(deprecatedTopology, `${path}.deprecatedTopology`, errors)
  if (hostname !== undefined)
    for (const text of dnsLabel(hostname)) errors.push(invalid(`${path}.hostname`, hostname, text))
  const { forZones = [], forNodes = [] } = hints ?? {}
  checkHints(forZones, labelValue, { path: `${path}.hints.forZones`, errors })
  // With too many zones, nodes are not looked at.
  if (forZones.length <= maxHints) checkHints(forNodes, dnsSubdomain, { path: `${path}.hints.forNodes`, errors })
}

function checkAddressOf(address: string, type: string, target: Target & { readonly index: number }): void {
  const { path, index, errors } = target
  const at = `${path}[${index}]`
  if (type === 'FQDN') checkDomain(address, at, errors)
  if (type !== 'IPv4' && type !== 'IPv6') return
  const before = errors.length
  // IPv6 came late enough to be asked for in its standard form; the sloppier ways of writing IPv4 are let pass.
  if (type === 'IPv6') checkStandardAddress(address, at, errors)
  else checkAddress(address, at, errors)
  if (errors.length > before) return
  if (type !== `IPv${familyOf(address)}`) errors.push(invalid(path, address, `must be an ${type} address`))
  checkNonSpecialAddress(address, at, errors)
}

/** A domain of at least two labels; a dot may end it. */
function checkDomain(address: string, path: string, errors: FieldError[]): void {
  if (address === '') {
    errors.push(required(path))
    return
  }
  const name = address.endsWith('.') ? address.slice(0, -1) : address
  const faults = dnsSubdomain(name)
  const labels = name.split('.')
  const long = labels.find((label) => dnsLabel(label).length > 0)
  if (faults.length > 0) errors.push(invalid(path, name, faults.join(',')))
  else if (labels.length < 2)
    errors.push(invalid(path, name, 'should be a domain with at least two segments separated by dots'))
  else if (long !== undefined) errors.push(invalid(path, long, dnsLabel(long).join(',')))
}

function checkHints(
  hints: readonly { readonly name: string }[],
  faultsOf: (name: string) => readonly string[],
  { path, errors }: Target,
): void {
  if (hints.length > maxHints) {
    errors.push(tooMany(path, hints.length, maxHints))
    return
  }
  const names = new Set<string>()
  hints.forEach(({ name = '' }, i) => {
    const at = `${path}[${i}].name`
    if (names.has(name)) errors.push(duplicate(at, name))
    names.add(name)
    for (const text of faultsOf(name)) errors.push(invalid(at, name, text))
  })
}
