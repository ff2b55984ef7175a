// Trouble at every step of one loop: before each of its writes it dies, then the same write fails, conflicts, is done but
// the loop dies before it hears so, is done but the answer is lost; only then it goes through. A step is what is written to
// which object, so a loop goes through as many troubles as it knows steps.

import type { ApiHandler, ApiRequest, ApiResponse } from '#api'
import type { Machine } from '#machine'
import { isWrite } from '../support/faults.ts'
import type { Observer } from '../support/observer.ts'

export const ways = ['dies before', 'fails', 'conflicts', 'dies after', 'loses the answer'] as const
export type Way = (typeof ways)[number]

export class StepTrouble {
  /** How often each has happened. */
  readonly counts = new Map<Way, number>()
  active = true
  readonly #loop: string
  readonly #observer: Observer
  readonly #machine: () => Machine
  readonly #next = new Map<string, number>()

  constructor(loop: string, observer: Observer, machine: () => Machine) {
    this.#loop = loop
    this.#observer = observer
    this.#machine = machine
  }

  readonly wrap =
    (next: ApiHandler): ApiHandler =>
    async (request, signal) => {
      const isOurs = this.active && isWrite(request) && this.#observer.reconcile?.loop === this.#loop
      const way = isOurs ? this.#wayFor(request) : undefined
      if (way === undefined) return next(request, signal)
      this.counts.set(way, (this.counts.get(way) ?? 0) + 1)
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
    this.#machine().runtime.restartLoop(this.#loop)
  }

  #wayFor(request: ApiRequest): Way | undefined {
    const { verb, resource, subresource, namespace, name, body } = request
    const made = body?.type === 'object' ? (body.object as { metadata?: { name?: string } }).metadata?.name : undefined
    const step = `${verb} ${resource?.resource} ${subresource} ${namespace} ${name ?? made}`
    const at = this.#next.get(step) ?? 0
    this.#next.set(step, at + 1)
    const way = ways[at]
    // Only updates can be behind the times.
    return way === 'conflicts' && verb !== 'update' ? this.#wayFor(request) : way
  }
}

const failure = (code: number, reason: string, message: string): ApiResponse => ({
  status: code,
  body: {
    type: 'object',
    object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code },
  },
})
