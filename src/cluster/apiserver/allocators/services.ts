// What Services are given: cluster addresses (of the server's own range and of ServiceCIDRs that are ready), node ports,
// health check ports and address families (this cluster is IPv4 only). Taken before a Service is written and given back
// when the write fails or the Service goes; rebuilt from the store at start (registry/core/service/storage/alloc.go).

import { keepAllocatedValues, normalizeClusterIPs, type Service, type ServiceCIDR, type ServiceSpec } from '#kinds'
import type { AnyObject } from '#objects'
import type { Entry, Store } from '#store'
import type { Random } from '#world'
import { invalidError } from '../errors.ts'
import type { Occasion, Reservation, ResourceHooks } from '../hooks.ts'
import { decideFamilies } from './families.ts'
import { parseIpv4, spanOf, usableRange } from './ipv4.ts'
import { AllocationFault, Order } from './order.ts'
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
      const { faults, spec: asked } = decideFamilies(specOf(kept), before?.spec)
      if (faults.length > 0) throw invalidError({ group: '', kind: 'Service' }, object.metadata.name ?? '', faults)
      const spec = order.fill(asked, before?.spec)
      const next = spec === specOf(object) ? object : { ...object, spec }
      return { object: next, release: () => order.release() }
    } catch (error) {
      order.release()
      throw error instanceof AllocationFault ? error.answer(object.metadata.name ?? '') : error
    }
  }
}
