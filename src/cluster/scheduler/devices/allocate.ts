// Finds devices of one node for claims, as the structured allocator of dynamic resource allocation does: claim by claim,
// request by request, device by device, going back where a choice leads nowhere. Pure.

import {
  type AllocationResult,
  type DeviceAllocationConfiguration,
  DeviceClass,
  type DeviceConstraint,
  type DeviceRequest,
  type DeviceRequestAllocationResult,
  type ExactDeviceRequest,
  type NodeSelector,
} from '#kinds'
import type { Cache } from '#reconcile'
import type { NodeState } from '../node-state.ts'
import { type InFlight, isInUse, type ResourceClaim } from './claims.ts'
import { type Pool, type PooledDevice, poolsFor } from './pools.ts'
import { isSelected, qualified } from './selectors.ts'

/** Looking longer than this is given up: constraints over many devices can have very many combinations. */
const mostSteps = 100_000

export interface Searching {
  readonly node: NodeState
  readonly objects: Cache
  readonly inFlight: InFlight
}

type Found = readonly AllocationResult[]

/** One allocation for each claim, or undefined. Throws where a selector cannot be evaluated. */
export function allocate(claims: readonly ResourceClaim[], searching: Searching): Found | undefined {
  return new Search(claims, searching).run()
}

interface Chosen {
  readonly claim: number
  /** `request`, or `request/alternative`. */
  readonly request: string
  readonly of: PooledDevice
  readonly adminAccess: boolean
}

/** Devices that one request needs: so many, or these and no others. */
interface Demand {
  readonly claim: number
  readonly name: string
  readonly request: ExactDeviceRequest
  readonly count: number
  readonly candidates: readonly PooledDevice[]
}

class Search {
  readonly #claims: readonly ResourceClaim[]
  readonly #searching: Searching
  readonly #pools: readonly Pool[]
  readonly #chosen: Chosen[] = []
  readonly #taken = new Set<string>()
  #steps = 0

  constructor(claims: readonly ResourceClaim[], searching: Searching) {
    this.#claims = claims
    this.#searching = searching
    this.#pools = poolsFor(searching.node, searching.objects)
  }

  run(): Found | undefined {
    if (!this.#requests(0, 0)) return undefined
    return this.#claims.map((claim, i) => this.#result(claim, i))
  }

  #requests(claim: number, request: number): boolean {
    const requests = this.#claims[claim]?.spec.devices?.requests ?? []
    if (claim >= this.#claims.length) return true
    const wanted = requests[request]
    if (wanted === undefined) return this.#requests(claim + 1, 0)
    const onwards = (): boolean => this.#requests(claim, request + 1)
    return alternativesOf(wanted).some(({ name, request: one }) => {
      const demand = this.#demandOf(claim, name, one)
      return demand !== undefined && this.#devices(demand, { index: 0, from: 0 }, onwards)
    })
  }

  #demandOf(claim: number, name: string, request: ExactDeviceRequest): Demand | undefined {
    const { objects } = this.#searching
    const deviceClass = objects.get(DeviceClass, request.deviceClassName)
    if (deviceClass === undefined) return undefined
    const metadata = this.#claims[claim]?.metadata
    const selects = (device: PooledDevice): boolean =>
      isSelected(device, deviceClass.spec.selectors, `class ${request.deviceClassName}`) &&
      isSelected(device, request.selectors, `claim ${metadata?.namespace}/${metadata?.name}`)
    const isAll = request.allocationMode === 'All'
    // Of a pool that is not complete nobody knows all devices.
    if (isAll && this.#pools.some(({ isIncomplete }) => isIncomplete)) return undefined
    const candidates = this.#pools.flatMap(({ devices, isIncomplete }) => (isIncomplete ? [] : devices.filter(selects)))
    const count = isAll ? candidates.length : (request.count ?? 1)
    return count === 0 || count > candidates.length ? undefined : { claim, name, request, count, candidates }
  }

  /** Chooses the devices of a request from those behind the last one, then goes on with the next request. */
  #devices(demand: Demand, at: { readonly index: number; readonly from: number }, onwards: () => boolean): boolean {
    const { claim, name, request, count, candidates } = demand
    if (at.index === count) return onwards()
    const adminAccess = request.adminAccess === true
    const last = candidates.length - (count - at.index)
    for (let i = at.from; i <= last; i += 1) {
      this.#steps += 1
      if (this.#steps > mostSteps) return false
      const device = candidates[i]
      if (device === undefined) return false
      const chosen: Chosen = { claim, request: name, of: device, adminAccess }
      if ((adminAccess || this.#isFree(device)) && this.#suits(chosen)) {
        this.#choose(chosen)
        if (this.#devices(demand, { index: at.index + 1, from: i + 1 }, onwards)) return true
        this.#giveBack()
      }
      // Each one is wanted: without this one there is no need to go on.
      if (request.allocationMode === 'All') return false
    }
    return false
  }

  #isFree({ id }: PooledDevice): boolean {
    const { objects, inFlight } = this.#searching
    return !this.#taken.has(id) && !isInUse(id, objects, inFlight)
  }

  #choose(chosen: Chosen): void {
    this.#chosen.push(chosen)
    if (!chosen.adminAccess) this.#taken.add(chosen.of.id)
  }

  #giveBack(): void {
    const last = this.#chosen.pop()
    if (last !== undefined && !last.adminAccess) this.#taken.delete(last.of.id)
  }

  #suits(chosen: Chosen): boolean {
    const constraints = this.#claims[chosen.claim]?.spec.devices?.constraints ?? []
    return constraints.every((constraint) => {
      if (!isMeant(constraint, chosen.request)) return true
      const attribute = constraint.matchAttribute
      if (attribute === undefined) return true
      const value = attributeOf(chosen.of, attribute)
      if (value === undefined) return false
      const other = this.#chosen.find(({ claim, request }) => claim === chosen.claim && isMeant(constraint, request))
      return other === undefined || attributeOf(other.of, attribute) === value
    })
  }

  #result({ spec, metadata: _metadata }: ResourceClaim, index: number): AllocationResult {
    const own = this.#chosen.filter(({ claim }) => claim === index)
    const nodeSelector = nodeSelectorOf(own)
    const results = own.map(({ request, of: { driver, pool, device }, adminAccess }): DeviceRequestAllocationResult => {
      const result = { request, driver, pool, device: device.name }
      return adminAccess ? { adminAccess, ...result } : result
    })
    const config = this.#configOf(spec.devices?.requests ?? [], own).concat(
      (spec.devices?.config ?? []).map((one) => ({ source: 'FromClaim', ...one })),
    )
    return {
      devices: { results, ...(config.length === 0 ? {} : { config }) },
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
    }
  }

  #configOf(requests: readonly DeviceRequest[], own: readonly Chosen[]): DeviceAllocationConfiguration[] {
    const names = new Set(own.map(({ request }) => request))
    return requests.flatMap(alternativesOf).flatMap(({ name, request }) => {
      if (!names.has(name)) return []
      const { config = [] } = this.#searching.objects.get(DeviceClass, request.deviceClassName)?.spec ?? {}
      return config.map((one) => ({ source: 'FromClass', requests: [name], ...one }))
    })
  }
}

const alternativesOf = ({ name, exactly, firstAvailable = [] }: DeviceRequest) =>
  exactly === undefined
    ? firstAvailable.map((request) => ({ name: `${name}/${request.name}`, request: request as ExactDeviceRequest }))
    : [{ name, request: exactly }]

/** A constraint means all requests, or those that it names; naming a request means its alternatives too. */
const isMeant = ({ requests = [] }: DeviceConstraint, request: string): boolean =>
  requests.length === 0 || requests.includes(request) || requests.includes(request.split('/', 1)[0] ?? '')

function attributeOf({ driver, device }: PooledDevice, name: string): string | undefined {
  const [domain, id] = qualified(driver, name)
  const attributes = device.attributes ?? {}
  const attribute = attributes[`${domain}/${id}`] ?? (domain === driver ? attributes[id] : undefined)
  return attribute === undefined ? undefined : JSON.stringify(attribute)
}

/** Where the allocated devices can be used: on their node, or on nodes that all of them mean. */
function nodeSelectorOf(chosen: readonly Chosen[]): NodeSelector | undefined {
  const expressions = new Map<string, object>()
  const fields = new Map<string, object>()
  for (const { of } of chosen) {
    const { nodeName = '', nodeSelector } = of.slice.perDeviceNodeSelection === true ? of.device : of.slice
    if (nodeName !== '')
      return {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
      }
    const [{ matchExpressions = [], matchFields = [] } = {}] = nodeSelector?.nodeSelectorTerms ?? []
    for (const one of matchExpressions) expressions.set(JSON.stringify(one), one)
    for (const one of matchFields) fields.set(JSON.stringify(one), one)
  }
  if (expressions.size + fields.size === 0) return undefined
  const term = {
    ...(fields.size === 0 ? {} : { matchFields: [...fields.values()] }),
    ...(expressions.size === 0 ? {} : { matchExpressions: [...expressions.values()] }),
  }
  return { nodeSelectorTerms: [term] } as NodeSelector
}
