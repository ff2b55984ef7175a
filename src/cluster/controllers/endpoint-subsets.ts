// Packs addresses and ports into subsets as Kubernetes does: addresses with the same ports share a subset, and everything
// stands in the order of Kubernetes' hashes, which clients see. Pure.

import type { EndpointAddress, CoreV1EndpointPort as EndpointPort, EndpointSubset } from '#kinds'
import { md5 } from './endpoint-rules.ts'
import { canonicalText } from './hash.ts'

/** One address on one port; without a port for a headless Service that has none. */
export interface Entry {
  readonly address: EndpointAddress
  readonly ready: boolean
  readonly port: EndpointPort | undefined
  /** The port as `portText` has it. */
  readonly portText: string
}

/** The entries of subsets as somebody wrote them, in order of addresses; what one of them says is not ready is not. */
export function entriesOf(subsets: readonly EndpointSubset[]): readonly Entry[] {
  const entries = new Map<string, Entry>()
  const known = new Map<string, EndpointAddress>()
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets)
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const text = port === undefined ? '' : portText(port)
      const add = (given: EndpointAddress, ready: boolean): void => {
        const key = `${given.ip} ${given.targetRef?.uid ?? ''}`
        const address = known.get(key) ?? given
        known.set(key, address)
        const before = entries.get(`${key} ${text}`)
        if (before?.ready !== false) entries.set(`${key} ${text}`, { address, ready, port, portText: text })
      }
      for (const address of addresses) add(address, true)
      for (const address of notReadyAddresses) add(address, false)
    }
  return [...entries.values()].sort(byAddress)
}

interface Group {
  readonly entries: readonly Entry[]
  readonly ports: EndpointPort[]
}

/** Of entries in order of addresses. */
export function packSubsets(entries: readonly Entry[]): readonly EndpointSubset[] {
  const byPort = new Map<string, Entry[]>()
  for (const entry of entries) {
    const known = byPort.get(entry.portText)
    if (known === undefined) byPort.set(entry.portText, [entry])
    else known.push(entry)
  }
  if (byPort.size === 1) return [subsetOf({ entries, ports: entries[0]?.port === undefined ? [] : [entries[0].port] })]
  const byAddresses = new Map<string, Group>()
  for (const sharing of byPort.values()) {
    const key = sharing
      .map(({ address, ready }) => `${address.targetRef?.uid ?? ''} ${address.ip} ${ready}`)
      .sort()
      .join()
    const port = sharing[0]?.port
    const known = byAddresses.get(key)
    if (known === undefined) byAddresses.set(key, { entries: sharing, ports: port === undefined ? [] : [port] })
    else if (port !== undefined) known.ports.push(port)
  }
  const subsets = [...byAddresses.values()].map(subsetOf)
  return subsets.length < 2
    ? subsets
    : subsets
        .map((subset) => ({ subset, hash: md5(canonicalText(subset)) }))
        .sort(byHash)
        .map(({ subset }) => subset)
}

function subsetOf({ entries, ports }: Group): EndpointSubset {
  const ready: EndpointAddress[] = []
  const notReady: EndpointAddress[] = []
  for (const entry of entries) (entry.ready ? ready : notReady).push(entry.address)
  return {
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
    ...(ports.length === 0 ? {} : { ports: inOrder(ports) }),
  }
}

const inOrder = (ports: readonly EndpointPort[]): readonly EndpointPort[] =>
  ports.length < 2
    ? ports
    : ports
        .map((port) => ({ port, hash: md5(portText(port)) }))
        .sort(byHash)
        .map(({ port }) => port)

const byHash = (a: { readonly hash: string }, b: { readonly hash: string }): number => (a.hash < b.hash ? -1 : 1)

/** The order in which addresses are written. */
export const byAddress = ({ address: a }: Entry, { address: b }: Entry): number =>
  a.ip === b.ip ? ((a.targetRef?.uid ?? '') < (b.targetRef?.uid ?? '') ? -1 : 1) : a.ip < b.ip ? -1 : 1

/** As Go's hash sees a port: ports with the same text are the same. */
export const portText = ({ name, port, protocol, appProtocol }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(string)${name ?? ''} Port:(int32)${port} Protocol:(v1.Protocol)${protocol ?? ''} ` +
  `AppProtocol:(*string)${appProtocol ?? '<nil>'}}`
