// Wrappers of an ApiHandler that do what networks and servers do: lose, repeat, delay and reorder watch events, break
// watches, fail requests. Chance comes from the world's seed; every wrapper can be switched off.

import { type ApiHandler, type ApiRequest, type ApiResponse, refusal, type WatchEvent, type WatchStream } from '#api'
import type { Random, World } from '#world'

export interface Fault {
  wrap(next: ApiHandler): ApiHandler
  active: boolean
}

export interface WatchFaults {
  /** Shares, from 0 to 1, of events that are lost, told twice, held back for a batch, and of batches that end the watch. */
  readonly lose?: number
  readonly repeat?: number
  readonly holdBack?: number
  readonly breakOff?: number
  /** Batches arrive late by up to this much. */
  readonly delayMs?: number
}

/** Watches that cannot be relied on. */
export function watchFaults(world: World, shares: WatchFaults): Fault {
  const random = world.random.fork('watch faults')
  const fault: Fault = {
    active: true,
    wrap: (next) => async (request, signal) => {
      const response = await next(request, signal)
      if (response.body.type !== 'watch') return response
      return {
        ...response,
        body: { type: 'watch', events: spoiled(response.body.events, world, random, shares, fault) },
      }
    },
  }
  return fault
}

async function* spoiled(
  events: WatchStream,
  world: World,
  random: Random,
  shares: WatchFaults,
  fault: Fault,
): AsyncGenerator<readonly WatchEvent[]> {
  let held: WatchEvent[] = []
  const hit = (share: number | undefined): boolean => fault.active && random.next() < (share ?? 0)
  for await (const batch of events) {
    if (fault.active && shares.delayMs !== undefined) await world.clock.sleep(random.int(shares.delayMs))
    const late = held
    held = []
    const told: WatchEvent[] = []
    for (const event of batch) {
      if (event.type === 'BOOKMARK' || event.type === 'ERROR') told.push(event)
      else if (hit(shares.lose)) continue
      else if (hit(shares.holdBack)) held.push(event)
      else told.push(...(hit(shares.repeat) ? [event, event] : [event]))
    }
    if (told.length + late.length > 0) yield [...told, ...late]
    if (hit(shares.breakOff)) return
  }
}

const writes: readonly string[] = ['create', 'update', 'patch', 'delete']
export const isWrite = (request: ApiRequest): boolean => writes.includes(request.verb)

/** Fails the requests for which `hits` says so, as a server in trouble does. */
export function requestFaults(hits: (request: ApiRequest) => boolean): Fault {
  const fault: Fault = {
    active: true,
    wrap: (next) => (request, signal) =>
      fault.active && hits(request) ? Promise.resolve(serverError(request)) : next(request, signal),
  }
  return fault
}

const serverError = ({ verb }: ApiRequest): ApiResponse =>
  refusal({ code: 500, reason: 'InternalError', message: `${verb} failed on purpose` })

/** Keeps what passes through it. */
export function recorder(keep: (request: ApiRequest) => boolean = isWrite): {
  readonly requests: ApiRequest[]
  wrap(next: ApiHandler): ApiHandler
} {
  const requests: ApiRequest[] = []
  return {
    requests,
    wrap: (next) => (request, signal) => {
      if (keep(request)) requests.push(request)
      return next(request, signal)
    },
  }
}
