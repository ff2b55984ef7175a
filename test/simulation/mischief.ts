// What goes wrong in one run, drawn from its seed. Every single deed has a name of its own (what, where, the how-manyth time
// there) and is drawn by that name alone: so a run can be repeated with a part of its mischief, and what is left of it
// still happens in the same places.

import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  refusal,
  type StatusReason,
  type WatchEvent,
  type WatchStream,
} from '#api'
import type { Machine } from '#machine'
import { objectKey } from '#objects'
import { type Random, simulatedWorld, type World } from '#world'
import { isWrite } from '../support/faults.ts'
import type { Observer } from '../support/observer.ts'

/** Kinds of mischief, with the largest share of the occasions at which a run may do it. */
const kinds = {
  'lose event': 0.15,
  'repeat event': 0.2,
  'reorder event': 0.2,
  'delay events': 0.5,
  'cut watch': 0.05,
  'fail request': 0.2,
  'lose answer': 0.1,
  conflict: 0.2,
  throttle: 0.1,
  'slow request': 0.2,
  'loop dies': 0.05,
  'server dies': 0.004,
  'server away': 0.002,
  'machine dies': 0.002,
} as const

export type MischiefKind = keyof typeof kinds

export const mischiefKinds = Object.keys(kinds) as readonly MischiefKind[]

/** Each kind is active in this share of the runs, so that runs differ in what they explore. */
const activeShare = 0.3

export interface Deed {
  readonly id: string
  readonly at: number
}

export class Mischief {
  readonly deeds: Deed[] = []
  active = true
  readonly #world: World
  readonly #random: Random
  readonly #shares: ReadonlyMap<string, number>
  readonly #only: ReadonlySet<string> | undefined
  readonly #counts = new Map<string, number>()
  #awayUntil = 0

  /** With `only`, nothing but these deeds is done. */
  constructor(world: World, seed: string | number, only?: ReadonlySet<string>) {
    this.#world = world
    this.#random = simulatedWorld(seed).random.fork('mischief')
    this.#only = only
    const draw = this.#random.fork('shares')
    const shares = Object.entries(kinds).map(([kind, most]) => {
      const isActive = draw.next() < activeShare
      return [kind, draw.next() * (isActive ? most : 0)] as const
    })
    this.#shares = new Map(shares)
  }

  /** The kinds that this run may do. */
  get kinds(): readonly string[] {
    return [...this.#shares].filter(([, share]) => share > 0).map(([kind]) => kind)
  }

  /** Something that people do: always, unless it was left out. */
  does(what: string): boolean {
    if (this.#only !== undefined && !this.#only.has(what)) return false
    this.deeds.push({ id: what, at: this.#world.clock.now() })
    return true
  }

  #hits(kind: MischiefKind, where: string): Random | undefined {
    const share = this.#shares.get(kind) ?? 0
    if (share === 0 || !this.active) return undefined
    const place = `${kind}: ${where}`
    const count = (this.#counts.get(place) ?? 0) + 1
    this.#counts.set(place, count)
    const id = count === 1 ? place : `${place} (${count})`
    const random = this.#random.fork(id)
    if (random.next() >= share || (this.#only !== undefined && !this.#only.has(id))) return undefined
    this.deeds.push({ id, at: this.#world.clock.now() })
    return random
  }

  /** Between the loops of `machine` and its server. */
  wrap(observer: Observer, machine: () => Machine): (next: ApiHandler) => ApiHandler {
    return (next) => (request, signal) => {
      if (!this.active || !isLoop(request)) return next(request, signal)
      if (this.#world.clock.now() < this.#awayUntil) return Promise.resolve(failures.away)
      if (request.verb === 'watch') return this.#watch(next, request, signal)
      return this.#request(next, request, signal, { observer, machine: machine() })
    }
  }

  async #request(
    next: ApiHandler,
    request: ApiRequest,
    signal: AbortSignal,
    { observer, machine }: Scene,
  ): Promise<ApiResponse> {
    const loop = observer.reconcile?.loop
    const where = placeOf(request, loop)
    const slow = this.#hits('slow request', where)
    if (slow !== undefined) await this.#world.clock.sleep(1 + slow.int(1500))
    if (this.#hits('throttle', where) !== undefined) return failures.throttled
    if (this.#hits('fail request', where) !== undefined) return failures.failed
    if (!isWrite(request)) return next(request, signal)
    if (request.verb === 'update' && this.#hits('conflict', where) !== undefined) return failures.conflict
    const death = this.#death(where, loop, machine)
    // Whoever dies before it writes does not write; whoever dies after it does not hear that it did.
    if (death?.before === true) death.die()
    if (signal.aborted) throw signal.reason
    const response = await next(request, signal)
    if (death !== undefined && !death.before) death.die()
    return this.#hits('lose answer', where) === undefined ? response : failures.lost
  }

  #death(
    where: string,
    loop: string | undefined,
    machine: Machine,
  ): { readonly before: boolean; die(): void } | undefined {
    const ways = [
      ['loop dies', () => loop !== undefined && machine.runtime.restartLoop(loop)],
      ['server dies', () => machine.restartServer()],
      ['server away', (random: Random) => this.#goAway(machine, 1000 + random.int(20_000))],
      ['machine dies', () => machine.restart()],
    ] as const
    for (const [kind, act] of ways) {
      const random = this.#hits(kind, where)
      if (random !== undefined) return { before: random.next() < 0.5, die: () => void act(random) }
    }
    return undefined
  }

  #goAway(machine: Machine, ms: number): void {
    this.#awayUntil = this.#world.clock.now() + ms
    machine.restartServer()
  }

  async #watch(next: ApiHandler, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const response = await next(request, signal)
    if (response.body.type !== 'watch') return response
    return { ...response, body: { type: 'watch', events: this.#spoiled(request, response.body.events) } }
  }

  async *#spoiled({ resource }: ApiRequest, events: WatchStream): AsyncGenerator<readonly WatchEvent[]> {
    const name = resource?.resource ?? ''
    let held: WatchEvent[] = []
    for await (const batch of events) {
      const late = this.#hits('delay events', name)
      if (late !== undefined) await this.#world.clock.sleep(1 + late.int(1000))
      const overtaken = held
      held = []
      const told: WatchEvent[] = []
      for (const event of batch) {
        const where = `${name} ${event.type} ${event.type === 'BOOKMARK' ? '' : objectKey(event.object)}`
        if (event.type === 'BOOKMARK' || event.type === 'ERROR') told.push(event)
        else if (this.#hits('lose event', where) !== undefined) continue
        else if (this.#hits('reorder event', where) !== undefined) held.push(event)
        else if (this.#hits('repeat event', where) !== undefined) told.push(event, event)
        else told.push(event)
      }
      if (told.length + overtaken.length > 0) yield [...told, ...overtaken]
      if (this.#hits('cut watch', name) !== undefined) return
    }
  }
}

interface Scene {
  readonly observer: Observer
  readonly machine: Machine
}

const isLoop = ({ caller }: ApiRequest): boolean => caller.user !== 'kubernetes-admin'

const placeOf = (
  { verb, resource, subresource, namespace, name, caller, body }: ApiRequest,
  loop: string | undefined,
): string => {
  const part = subresource === undefined ? '' : `/${subresource}`
  const made =
    body?.type === 'object' ? (body.object as { readonly metadata?: { readonly name?: string } }).metadata?.name : ''
  const what = `${namespace === undefined ? '' : `${namespace}/`}${name ?? made ?? ''}`
  return `${loop ?? caller.user} ${verb} ${resource?.resource ?? ''}${part} ${what}`
}

const failure = (code: number, reason: StatusReason, message: string): ApiResponse => refusal({ code, reason, message })

const failures = {
  failed: failure(500, 'InternalError', 'failed on purpose'),
  conflict: failure(409, 'Conflict', 'a conflict on purpose'),
  throttled: failure(429, 'TooManyRequests', 'throttled on purpose'),
  lost: failure(504, 'Timeout', 'done, and the answer lost on purpose'),
  away: failure(503, 'ServiceUnavailable', 'the server is away on purpose'),
} as const
