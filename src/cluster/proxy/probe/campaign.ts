// One Probe at work: what it has counted and up to when. While tables change, each request is decided at its own moment.
// Once tables are at rest, what each endpoint answers is noted; requests are counted by that when something happens, or
// when the status is due: nothing is looked at in between.

import { Pod, type TrafficProbe } from '#kinds'
import type { Kit } from '#reconcile'
import type { Random } from '#world'
import type { Destination } from '../destination-port.ts'
import type { Network } from '../network.ts'
import type { ServiceProxy } from '../proxy.ts'
import { decideRoute, type Route, type Source, type Surroundings } from '../route.ts'
import type { Backend } from '../service-table.ts'
import { surroundingsOf } from '../surroundings.ts'
import { dueUpTo, intervalMs, nextDue, type Origin, originsOf } from './origins.ts'
import { routeFromOutside } from './outside.ts'
import { type Met, meet } from './request.ts'
import { emptyTally, type Tally, tallyOf, withFailures, withSuccesses } from './tally.ts'

export interface Trade {
  readonly proxy: ServiceProxy
  readonly network: Network
}

/** What requests meet until `until`, or until one of `pods` or the tables change. */
interface Settled {
  readonly until: number
  readonly pods: ReadonlySet<string>
  readonly ways: ReadonlyMap<Origin, Way>
}

/** Where the requests of an origin go, and what they meet there. */
interface Way {
  readonly route: Route
  readonly meets: ReadonlyMap<Backend | undefined, Met>
  /** The same wherever it is met. */
  readonly isOne: boolean
}

const forever = Number.POSITIVE_INFINITY

export class Campaign {
  readonly probe: TrafficProbe
  readonly startedAt: number
  /** Services whose change concerns it. */
  readonly services = new Set<string>()
  tally: Tally
  origins: readonly Origin[] = []
  /** When its status was last written, and what was counted as failed then. */
  toldAt = Number.NEGATIVE_INFINITY
  toldFailed = 0
  readonly #kit: Kit
  readonly #trade: Trade
  readonly #around: Surroundings
  readonly #random: Random
  readonly #affinities = new Map<string, { readonly backend: string; readonly at: number }>()
  #doneAt: number
  #settled: Settled | undefined

  constructor(probe: TrafficProbe, kit: Kit, trade: Trade) {
    const now = kit.world.clock.now()
    this.probe = probe
    this.#kit = kit
    this.#trade = trade
    this.#around = surroundingsOf(kit.cache, trade.proxy)
    this.#random = kit.world.random.fork(`probe ${probe.metadata.uid ?? ''} ${now}`)
    const goesOn = probe.status?.observedGeneration === probe.metadata.generation
    const since = goesOn ? Date.parse(probe.status?.since ?? '') : Number.NaN
    this.tally = goesOn ? tallyOf(probe, Number.isNaN(since) ? now : since) : emptyTally(now)
    this.toldFailed = this.tally.failed
    this.startedAt = now
    this.#doneAt = now - 1
    const { service, namespace = 'default' } = probe.spec.target
    if (service !== undefined) this.services.add(`${namespace}/${service}`)
  }

  /** Counts all requests that were due up to now. */
  advance(): void {
    const now = this.#kit.world.clock.now()
    if (this.#settled !== undefined) this.#countSettled(this.#settled, now)
    this.#settled = undefined
    this.origins = originsOf(this.probe.spec, this.#kit.cache, this.#trade.proxy.isSilent)
    const interval = intervalMs(this.probe.spec)
    for (const { source, offsetMs } of this.origins) {
      const first = this.startedAt + offsetMs
      const count = dueUpTo(now, first, interval) - dueUpTo(this.#doneAt, first, interval)
      for (let i = 0; i < count; i += 1) this.#send(source, now)
    }
    this.#doneAt = Math.max(now, this.#doneAt)
    this.#settled = this.#settle(now)
  }

  /** When it must look again by itself. */
  nextLookAt(): number {
    if (this.#settled !== undefined) return this.#settled.until
    const interval = intervalMs(this.probe.spec)
    return Math.min(...this.origins.map(({ offsetMs }) => nextDue(this.#doneAt, this.startedAt + offsetMs, interval)))
  }

  get isSettled(): boolean {
    return this.#settled !== undefined
  }

  /** Whether it counts on a pod to stay as it is. */
  leansOn(podKey: string): boolean {
    return this.#settled?.pods.has(podKey) === true
  }

  #countSettled({ ways }: Settled, now: number): void {
    // What is due at this very moment is sent, not counted; it has been sent already when this is the second look at it.
    const upTo = Math.max(now - 1, this.#doneAt)
    const interval = intervalMs(this.probe.spec)
    for (const [{ source, offsetMs }, way] of ways) {
      const first = this.startedAt + offsetMs
      const done = dueUpTo(this.#doneAt, first, interval)
      const due = dueUpTo(upTo, first, interval)
      const at = (index: number): number => first + index * interval
      if (way.isOne) this.#count([...way.meets.values()][0], { source, at: at(due - 1), count: due - done })
      else
        for (let i = done; i < due; i += 1) {
          const met = way.meets.get(this.#choose(way.route, source, at(i)))
          this.#count(met, { source, at: at(i), count: 1 })
        }
    }
    this.#doneAt = upTo
  }

  #count(
    met: Met | undefined,
    { source, at, count }: { readonly source: Source; readonly at: number; readonly count: number },
  ): void {
    const failure = met?.failure
    this.tally =
      failure === undefined
        ? withSuccesses(this.tally, count)
        : withFailures(this.tally, { failure, node: source.node, at, count })
  }

  #send(source: Source, now: number): void {
    const [from, route] = this.#wayFrom(source)
    this.#count(this.#meet(route, from, this.#choose(route, from, now)), { source: from, at: now, count: 1 })
  }

  get #destination(): Destination {
    const { target, protocol = 'HTTP' } = this.probe.spec
    const { service, namespace = 'default', host = '', port } = target
    return {
      host: service === undefined ? host : `${service}.${namespace}.svc.cluster.local`,
      ...(port === undefined ? {} : { port: typeof port === 'string' && /^\d+$/.test(port) ? Number(port) : port }),
      protocol: protocol === 'UDP' ? 'UDP' : 'TCP',
    }
  }

  #wayFrom(source: Source): readonly [Source, Route] {
    const { service, namespace = 'default' } = this.probe.spec.target
    const to = this.#destination
    const scene = { cache: this.#kit.cache, around: this.#around, random: this.#random }
    const serviceKey = service === undefined ? undefined : `${namespace}/${service}`
    const [from, route] =
      source.kind === 'outside'
        ? routeFromOutside({ to, serviceKey, source }, scene)
        : [source, decideRoute({ from: source, to, around: this.#around })]
    if (route.service !== undefined) this.services.add(route.service)
    return [from, route]
  }

  #meet(route: Route, from: Source, backend: Backend | undefined): Met {
    const { protocol = 'HTTP', timeoutSeconds = 1 } = this.probe.spec
    return meet(
      {
        route,
        from,
        host: this.#destination.host,
        protocol,
        timeoutMs: Math.round(timeoutSeconds * 1000),
        network: this.#trade.network,
        isOffline: this.#trade.proxy.isSilent,
        podOf: (key) => this.#kit.cache.get(Pod, key),
      },
      backend,
    )
  }

  /** One endpoint by chance, or the one that this client had before. */
  #choose({ outcome, table }: Route, { node, address = '' }: Source, now: number): Backend | undefined {
    if (outcome.type !== 'endpoints') return undefined
    const { backends } = outcome
    const chosen = (): Backend | undefined => backends[this.#random.int(backends.length)]
    if (table?.affinitySeconds === undefined) return chosen()
    const key = `${node} ${address}`
    const nameOf = (backend: Backend): string => `${backend.address} ${backend.port}`
    const last = this.#affinities.get(key)
    const holds = last !== undefined && now - last.at < table.affinitySeconds * 1000
    const backend = (holds ? backends.find((one) => nameOf(one) === last.backend) : undefined) ?? chosen()
    if (backend !== undefined) this.#affinities.set(key, { backend: nameOf(backend), at: now })
    return backend
  }

  /** What requests meet from now on, once no node gets another table any more. */
  #settle(now: number): Settled | undefined {
    for (const key of this.services) if (this.#trade.proxy.settledAt(key) > now) return undefined
    const pods = new Set<string>()
    const known = new Map<Backend | undefined, Met>()
    const ways = new Map<Origin, Way>()
    for (const origin of this.origins) {
      // Each request from outside comes in by another node.
      if (origin.source.kind === 'outside') return undefined
      const [, route] = this.#wayFrom(origin.source)
      // Nobody tells of changes of what is no Service.
      if (route.service === undefined && this.probe.spec.target.service === undefined) return undefined
      const { outcome } = route
      const meets = new Map<Backend | undefined, Met>()
      for (const backend of outcome.type === 'endpoints' ? outcome.backends : [undefined]) {
        // An origin is online: what an endpoint answers is the same for all of them.
        const met =
          (backend === undefined ? undefined : known.get(backend)) ?? this.#meet(route, origin.source, backend)
        known.set(backend, met)
        meets.set(backend, met)
        if (backend?.pod !== undefined) pods.add(backend.pod)
      }
      const [first, ...others] = meets.values()
      ways.set(origin, {
        route,
        meets,
        isOne: others.every(({ failure }) => failure?.reason === first?.failure?.reason),
      })
    }
    let until = forever
    for (const met of known.values()) until = Math.min(until, met.until ?? forever)
    return { until, pods, ways }
  }
}
