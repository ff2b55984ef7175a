// What one write of a Service takes of the addresses and ports that there are, and gives back when the write fails.

import { internalError } from '#api'
import {
  type FieldError,
  givesNodePorts,
  invalid,
  isHeadless,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePort,
  type ServicePort,
  type ServiceSpec,
} from '#kinds'
import { invalidError, plainError } from '../errors.ts'
import { cidrOf, formatIpv4, parseIpv4 } from './ipv4.ts'
import type { Pool, Span } from './pool.ts'

export class AllocationFault extends Error {
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
export class Order {
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
    if (!this.#addresses.contains(address)) throw fault(outsideOf(this.#addresses.around(address), text))
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

/** A network's first and last address belong to its range, and are given to nobody. */
const outsideOf = (range: Span | undefined, text: string): string =>
  range === undefined
    ? 'the provided network does not match the current range'
    : `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${cidrOf(range)}`
