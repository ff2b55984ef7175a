// What Services are given: cluster addresses (of the server's own range and of ServiceCIDRs that are ready), node ports,
// health check ports and address families (this cluster is IPv4 only). Taken before a Service is written and given back
// when the write fails or the Service goes; rebuilt from the store at start (registry/core/service/storage/alloc.go).

import { internalError } from '#api'
import {
  type FieldError,
  givesNodePorts,
  invalid,
  isHeadless,
  keepAllocatedValues,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePort,
  normalizeClusterIPs,
  type Service,
  type ServiceCIDR,
  type ServicePort,
  type ServiceSpec,
} from '#kinds'
import type { AnyObject } from '#objects'
import type { Entry, Store } from '#store'
import type { Random } from '#world'
import { invalidError, plainError } from '../errors.ts'
import type { Occasion, Reservation, ResourceHooks } from '../hooks.ts'
import { familyFaults, withFamilies } from './families.ts'
import { formatIpv4, parseIpv4, spanOf, usableRange } from './ipv4.ts'
import { Pool, type Span } from './pool.ts'

export interface ServiceRanges {
  readonly cidr: string
  readonly nodePorts: readonly [first: number, last: number]
}

export const defaultRanges: ServiceRanges = { cidr: '10.96.0.0/16', nodePorts: [30_000, 32_767] }

export const cidrBucket = 'servicecidrs.networking.k8s.io'
export const ownCidrName = 'kubernetes'

const isUsable = ({ metadata, status }: ServiceCIDR): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

const spansOf = ({ spec }: ServiceCIDR): readonly Span[] =>
  (spec?.cidrs ?? []).flatMap((cidr) => {
    const span = spanOf(cidr)
    return span === undefined ? [] : [span]
  })

const specOf = (service: AnyObject | Service): ServiceSpec => (service as Service).spec ?? {}

const addressesOf = (spec: ServiceSpec): readonly number[] =>
  (spec.clusterIPs ?? []).flatMap((text) => parseIpv4(text) ?? [])

const portsOf = (spec: ServiceSpec): readonly number[] => [
  ...(spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])),
  ...(spec.healthCheckNodePort ? [spec.healthCheckNodePort] : []),
]

export class ServiceAllocator implements ResourceHooks {
  readonly #addresses: Pool
  readonly #nodePorts: Pool
  readonly #nodePortText: string
  readonly #own: Span

  constructor(random: Random, ranges: ServiceRanges = defaultRanges) {
    this.#own = usableRange(ranges.cidr)
    this.#addresses = new Pool(...this.#own, random)
    this.#nodePorts = new Pool(...ranges.nodePorts, random)
    this.#nodePortText = ranges.nodePorts.join('-')
  }

  /** Takes what the Services of a store hold. */
  restore(store: Store): void {
    for (const entry of store.list('services').entries) this.wrote(entry, undefined)
    this.followRanges(store)
  }

  /** The ServiceCIDRs of the store are what addresses are given from; the server's own range is one of them. */
  followRanges(store: Store): void {
    const cidrs = store.list(cidrBucket).entries.map(({ value }) => value as unknown as ServiceCIDR)
    const own = cidrs.find(({ metadata }) => metadata.name === ownCidrName)
    const others = cidrs.filter((cidr) => cidr !== own && isUsable(cidr)).flatMap(spansOf)
    this.#addresses.setSpans(own?.metadata.deletionTimestamp === undefined ? [this.#own, ...others] : others)
  }

  wrote(current: Entry | undefined, previous: Entry | undefined): void {
    const key = (current ?? previous)?.key ?? ''
    const now = current === undefined ? {} : specOf(current.value)
    const before = previous === undefined ? {} : specOf(previous.value)
    if (now === before) return
    const [addresses, ports] = [addressesOf(now), portsOf(now)]
    for (const address of addresses) this.#addresses.hold(address, key)
    for (const port of ports) this.#nodePorts.hold(port, key)
    for (const address of addressesOf(before)) if (!addresses.includes(address)) this.#addresses.release(address, key)
    for (const port of portsOf(before)) if (!ports.includes(port)) this.#nodePorts.release(port, key)
  }

  reserve({ namespace = '' }: Occasion, object: AnyObject, old: AnyObject | undefined): Reservation {
    const before = old as unknown as Service | undefined
    const named = normalizeClusterIPs(object as unknown as Service, before)
    const kept = before === undefined ? named : keepAllocatedValues(named, before)
    const order = new Order(
      this.#addresses,
      this.#nodePorts,
      this.#nodePortText,
      `${namespace}/${object.metadata.name ?? ''}`,
    )
    try {
      const faults = familyFaults(specOf(kept))
      if (faults.length > 0) throw invalidError({ group: '', kind: 'Service' }, object.metadata.name ?? '', faults)
      const spec = order.fill(withFamilies(specOf(kept), before?.spec), before?.spec)
      const next = spec === specOf(object) ? object : { ...object, spec }
      return { object: next, release: () => order.release() }
    } catch (error) {
      order.release()
      throw error instanceof AllocationFault ? error.answer(object.metadata.name ?? '') : error
    }
  }
}

class AllocationFault extends Error {
  readonly #fault: FieldError | undefined
  constructor(fault: FieldError | undefined, message = '') {
    super(message)
    this.#fault = fault
  }

  answer(name: string): Error {
    return this.#fault === undefined
      ? internalError(this.message)
      : invalidError({ group: '', kind: 'Service' }, name, [this.#fault])
  }
}

/** What one write takes. */
class Order {
  readonly #addresses: Pool
  readonly #nodePorts: Pool
  readonly #nodePortText: string
  readonly #holder: string
  readonly #taken: (() => void)[] = []

  constructor(addresses: Pool, nodePorts: Pool, nodePortText: string, holder: string) {
    this.#addresses = addresses
    this.#nodePorts = nodePorts
    this.#nodePortText = nodePortText
    this.#holder = holder
  }

  release(): void {
    for (const giveBack of this.#taken.splice(0)) giveBack()
  }

  fill(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
    const addressed = this.#address(spec, before)
    const ported = this.#ports(addressed, before)
    return this.#healthCheckPort(ported, before)
  }

  #address(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
    if (!needsClusterIP(spec) || isHeadless(spec)) return spec
    const { clusterIPs = [] } = spec
    const [wanted = ''] = clusterIPs
    if (before !== undefined && needsClusterIP(before) && wanted !== '') return spec
    if (wanted !== '') {
      this.#takeAddress(wanted, clusterIPs)
      return spec
    }
    const address = this.#addresses.take(this.#holder)
    if (address === undefined) throw new AllocationFault(undefined, 'failed to allocate a serviceIP: range is full')
    this.#taken.push(() => this.#addresses.release(address, this.#holder))
    const text = formatIpv4(address)
    return { ...spec, clusterIP: text, clusterIPs: [text] }
  }

  #takeAddress(text: string, clusterIPs: readonly string[]): void {
    const address = parseIpv4(text)
    // What is no address at all is for validation to say.
    if (address === undefined) return
    const fault = (why: string): AllocationFault =>
      new AllocationFault(invalid('spec.clusterIPs', clusterIPs, `failed to allocate IP ${text}: ${why}`))
    if (!this.#addresses.contains(address)) throw fault('the provided network does not match the current range')
    const holder = this.#addresses.holder(address)
    if (holder !== undefined && holder !== this.#holder) throw fault('provided IP is already allocated')
    if (holder !== undefined) return
    this.#addresses.hold(address, this.#holder)
    this.#taken.push(() => this.#addresses.release(address, this.#holder))
  }

  #ports(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
    if (!needsNodePort(spec) || spec.ports === undefined) return spec
    const given = spec.ports
    const ports = before === undefined ? this.#newPorts(spec, given) : this.#changedPorts(spec, given, before)
    return ports.every((port, i) => port === given[i]) ? spec : { ...spec, ports }
  }

  #newPorts(spec: ServiceSpec, given: readonly ServicePort[]): readonly ServicePort[] {
    /** Ports that differ only in their protocol share a node port. */
    const shared = new Map<number, number>()
    return given.map((port, i) => {
      if (!port.nodePort && !givesNodePorts(spec)) return port
      const path = `spec.ports[${i}].nodePort`
      const known = shared.get(port.port)
      if (known !== undefined) {
        if (port.nodePort && port.nodePort !== known) this.#takeNodePort(port.nodePort, path)
        return port.nodePort ? port : { ...port, nodePort: known }
      }
      const wanted = given.find((other) => other.port === port.port && other.nodePort)?.nodePort
      if (wanted) this.#takeNodePort(wanted, path)
      const nodePort = wanted ?? this.#anyNodePort()
      shared.set(port.port, nodePort)
      return port.nodePort === nodePort ? port : { ...port, nodePort }
    })
  }

  #changedPorts(spec: ServiceSpec, given: readonly ServicePort[], before: ServiceSpec): readonly ServicePort[] {
    const held = new Set((before.ports ?? []).map(({ nodePort }) => nodePort))
    const used = new Set<string>()
    return given.map((port, i) => {
      if (!port.nodePort && !givesNodePorts(spec)) return port
      if (port.nodePort && !held.has(port.nodePort)) this.#takeNodePort(port.nodePort, `spec.ports[${i}].nodePort`)
      const nodePort = port.nodePort || this.#anyNodePort()
      held.add(nodePort)
      const key = `${port.protocol} ${nodePort}`
      if (used.has(key)) throw plainError(`duplicate nodePort: {${key}}`)
      used.add(key)
      return port.nodePort ? port : { ...port, nodePort }
    })
  }

  #anyNodePort(): number {
    const port = this.#nodePorts.take(this.#holder)
    if (port === undefined) throw new AllocationFault(undefined, 'failed to allocate a nodePort: range is full')
    this.#taken.push(() => this.#nodePorts.release(port, this.#holder))
    return port
  }

  #takeNodePort(port: number, path: string): void {
    const why = this.#refusal(port)
    if (why !== undefined) throw new AllocationFault(invalid(path, port, why))
  }

  /** Takes the port, or says why it is not to be had. */
  #refusal(port: number): string | undefined {
    if (!this.#nodePorts.contains(port))
      return `provided port is not in the valid range. The range of valid ports is ${this.#nodePortText}`
    if (this.#nodePorts.holder(port) !== undefined) return 'provided port is already allocated'
    this.#nodePorts.hold(port, this.#holder)
    this.#taken.push(() => this.#nodePorts.release(port, this.#holder))
    return undefined
  }

  #healthCheckPort(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
    // That a port may not change once it is needed is for validation to say.
    if (!needsHealthCheckPort(spec) || (before !== undefined && needsHealthCheckPort(before))) return spec
    const wanted = spec.healthCheckNodePort
    if (!wanted) return { ...spec, healthCheckNodePort: this.#anyNodePort() }
    const why = this.#refusal(wanted)
    if (why !== undefined)
      throw new AllocationFault(undefined, `failed to allocate requested HealthCheck NodePort ${wanted}: ${why}`)
    return spec
  }
}
