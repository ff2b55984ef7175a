// One Probe at work: what it has counted and up to when. While tables and pods change, each request is decided at its own
// moment. Once all that it could meet is the same for all origins and stays so, nothing is looked at any more: requests are
// counted in one go when something happens, or when the status is due.

import { Pod, type TrafficProbe } from '#kinds'
import type { Kit } from '#reconcile'
import type { Random } from '#world'
import type { Network } from '../network.ts'
import type { ServiceProxy } from '../proxy.ts'
import { type Destination, decideRoute, type Route, type Source, type Surroundings } from '../route.ts'
import type { Backend } from '../service-table.ts'
import { surroundingsOf } from '../surroundings.ts'
import { dueUpTo, intervalMs, nextDue, type Origin, originsOf } from './origins.ts'
import { type Failure, type Met, meet } from './request.ts'
import { emptyTally, type Tally, tallyOf, withFailures, withSuccesses } from './tally.ts'

export interface Trade {
  readonly proxy: ServiceProxy
  readonly network: Network
}

/** What every request meets until `until`, or until one of `pods` or the tables change. */
interface Settled {
  readonly failure: Failure | undefined
  readonly until: number
  readonly pods: ReadonlySet<string>
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

  #countSettled({ failure }: Settled, now: number): void {
    const interval = intervalMs(this.probe.spec)
    for (const { source, offsetMs } of this.origins) {
      const first = this.startedAt + offsetMs
      const count = dueUpTo(now - 1, first, interval) - dueUpTo(this.#doneAt, first, interval)
      if (failure === undefined) this.tally = withSuccesses(this.tally, count)
      else {
        const at = nextDue(now - 1, first, interval) - interval
        this.tally = withFailures(this.tally, { failure, node: source.node, at, count })
      }
    }
    this.#doneAt = Math.max(now - 1, this.#doneAt)
  }

  #send(source: Source, now: number): void {
    const route = this.#routeFrom(source)
    const { failure } = this.#meet(route, source, this.#choose(route, source, now))
    this.tally =
      failure === undefined
        ? withSuccesses(this.tally, 1)
        : withFailures(this.tally, { failure, node: source.node, at: now, count: 1 })
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

  #routeFrom(from: Source): Route {
    const route = decideRoute({ from, to: this.#destination, around: this.#around })
    if (route.service !== undefined) this.services.add(route.service)
    return route
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

  /** Whether from now on every request meets the same, until something happens. */
  #settle(now: number): Settled | undefined {
    for (const key of this.services) if (this.#trade.proxy.settledAt(key) > now) return undefined
    const pods = new Set<string>()
    let until = forever
    let first: Failure | undefined
    let isFirst = true
    for (const { source } of this.origins) {
      const route = this.#routeFrom(source)
      // Nobody tells of changes of what is no Service.
      if (route.service === undefined) return undefined
      const { outcome } = route
      for (const backend of outcome.type === 'endpoints' ? outcome.backends : [undefined]) {
        const met = this.#meet(route, source, backend)
        if (!isFirst && met.failure?.reason !== first?.reason) return undefined
        if (isFirst) first = met.failure
        isFirst = false
        until = Math.min(until, met.until ?? forever)
        if (backend?.pod !== undefined) pods.add(backend.pod)
      }
    }
    return { failure: first, until, pods }
  }
}
