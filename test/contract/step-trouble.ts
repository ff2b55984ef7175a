// Trouble at every step of one loop: before each of its writes it dies, then the same write fails, conflicts, is done but
// the loop dies before it hears so, is done but the answer is lost; only then it goes through. A step is what is written to
// which object, so a loop goes through as many troubles as it knows steps. What is done need not be done again: the two ways
// of not hearing of it take turns in being the first, one run each.

import { type ApiHandler, type ApiRequest, type ApiResponse, refusal, type StatusReason } from '#api'
import type { Machine } from '#machine'
import { isWrite } from '../support/faults.ts'
import type { Observer } from '../support/observer.ts'

export type Way = 'dies before' | 'fails' | 'conflicts' | 'dies after' | 'loses the answer'

/** Both orders in which a step meets its troubles. */
export const orders = [
  ['dies before', 'fails', 'conflicts', 'dies after', 'loses the answer'],
  ['fails', 'conflicts', 'dies before', 'loses the answer', 'dies after'],
] as const satisfies readonly (readonly Way[])[]

export interface StepTroubleOptions {
  readonly loop: string
  readonly order: readonly Way[]
  readonly observer: Observer
  readonly machine: () => Machine
}

/** `create pods web-abc`: the kind of a step, and of what it is one. */
export function stepOf({ verb, resource, subresource, namespace, name, body }: ApiRequest): {
  readonly kind: string
  readonly step: string
} {
  const made = body?.type === 'object' ? (body.object as { metadata?: Made }).metadata : undefined
  const kind = [verb, resource?.resource, subresource].filter((part) => part !== undefined).join(' ')
  return { kind, step: `${kind} ${namespace ?? ''}/${name ?? made?.name ?? made?.generateName}` }
}

interface Made {
  readonly name?: string
  readonly generateName?: string
}

export class StepTrouble {
  /** What each kind of step has met. */
  readonly met = new Map<string, Set<Way>>()
  active = true
  readonly #options: StepTroubleOptions
  readonly #next = new Map<string, number>()

  constructor(options: StepTroubleOptions) {
    this.#options = options
  }

  /** Kinds of steps, each with what it should have met and has not. */
  get missed(): readonly string[] {
    const { order } = this.#options
    const unheard = order.find((way) => way === 'dies after' || way === 'loses the answer')
    return [...this.met].flatMap(([kind, met]) => {
      const due = ['dies before', 'fails', ...(isUpdate(kind) ? ['conflicts'] : []), unheard] as readonly Way[]
      return due.filter((way) => !met.has(way)).map((way) => `${kind}: ${way}`)
    })
  }

  readonly wrap =
    (next: ApiHandler): ApiHandler =>
    async (request, signal) => {
      const { loop, observer } = this.#options
      const isOurs = this.active && isWrite(request) && observer.reconcile?.loop === loop
      const way = isOurs ? this.#wayFor(request) : undefined
      if (way === undefined) return next(request, signal)
      if (way === 'fails') return failure(500, 'InternalError', 'failed on purpose')
      if (way === 'conflicts') return failure(409, 'Conflict', 'a conflict on purpose')
      if (way === 'dies before') {
        this.#die()
        throw signal.reason
      }
      const response = await next(request, signal)
      if (way === 'loses the answer') return failure(504, 'Timeout', 'done, and the answer lost on purpose')
      this.#die()
      return response
    }

  #die(): void {
    const { loop, machine } = this.#options
    machine().runtime.restartLoop(loop)
  }

  #wayFor(request: ApiRequest): Way | undefined {
    const { step, kind } = stepOf(request)
    const met = this.met.get(kind) ?? new Set()
    this.met.set(kind, met)
    const at = this.#next.get(step) ?? 0
    this.#next.set(step, at + 1)
    const way = this.#options.order[at]
    // Only updates can be behind the times.
    if (way === 'conflicts' && !isUpdate(kind)) return this.#wayFor(request)
    if (way !== undefined) met.add(way)
    return way
  }
}

const isUpdate = (kind: string): boolean => kind.startsWith('update ')

const failure = (code: number, reason: StatusReason, message: string): ApiResponse => refusal({ code, reason, message })
