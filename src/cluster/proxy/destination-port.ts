// Where a connection is to go, and which port of a Service that means.

import type { PortTable, ServiceTable } from './service-table.ts'

export interface Destination {
  /** A name for DNS, the name of a node, or an address. */
  readonly host: string
  /** A number, or the name of a Service's port; may be left out where a Service has only one. */
  readonly port?: number | string
  readonly protocol: string
}

/** How a port of a Service is called from outside, by way of a node; undefined: it is not. */
export function externalAddress(
  { balancerIPs, externalIPs }: ServiceTable,
  { port, nodePort, protocol }: PortTable,
  node: string,
): Destination | undefined {
  const [address] = [...balancerIPs, ...externalIPs]
  if (address !== undefined) return { host: address, port, protocol }
  return nodePort === undefined ? undefined : { host: node, port: nodePort, protocol }
}

export function portFor(ports: readonly PortTable[], { port, protocol }: Destination): PortTable | undefined {
  if (port === undefined) return ports.length === 1 ? ports[0] : undefined
  return ports.find((one) => one.protocol === protocol && (one.port === port || one.name === port))
}

interface PortLike {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
}

/** Why a Service has no such port. */
export function noPort(key: string, { port, protocol }: Destination, ports: readonly PortLike[]): string {
  const list = ports.map(
    ({ name = '', port: number, protocol: own = 'TCP' }) => `${number}/${own}${name === '' ? '' : ` (${name})`}`,
  )
  const has = list.length === 0 ? 'it has none' : `it has ${list.join(', ')}`
  return port === undefined
    ? `Service ${key} has several ports: ${has}`
    : `Service ${key} has no port ${port}/${protocol}: ${has}`
}

export const numberOf = ({ port }: Destination): { readonly port?: number } =>
  typeof port === 'number' ? { port } : {}
