// When a rehearsal has come to its end: everything is in order and stays so for a moment, or nothing has become as it was not
// before for longer than loops take to give something up. What goes round in circles (a container that crashes again and
// again) ends so too. Pure but for what it remembers.

import { type Application, revisionsIn } from '#kinds'

/** A container that ends right after its start has done so by then. */
export const calmMs = 10_000
/** A rollout counts as failed after ten minutes without progress. */
export const patienceMs = 11 * 60_000

interface State {
  readonly text: string
  readonly inOrder: boolean
  /** What its last sync failed for; absent after one that did not. */
  readonly failsAt?: string
}

export class Calm {
  readonly #states = new Map<string, State>()
  readonly #seen = new Set<string>()
  #gaps = ''
  #changedAt: number
  #newAt: number

  constructor(now: number) {
    this.#changedAt = now
    this.#newAt = now
  }

  /** World time at which something was as never before. */
  get newAt(): number {
    return this.#newAt
  }

  hear(key: string, app: Application | undefined, now: number): void {
    const before = this.#states.get(key)
    const state = app === undefined ? undefined : stateOf(app, before)
    if (state === undefined) this.#states.delete(key)
    else this.#states.set(key, state)
    if (before?.text !== state?.text) this.#note(`${key} ${state?.text ?? ''}`, now)
  }

  /** Takes the objects that wait for something into account. */
  isOver(gaps: readonly string[], now: number): boolean {
    const text = gaps.join('\n')
    if (text !== this.#gaps) this.#note(text, now)
    this.#gaps = text
    const allInOrder = gaps.length === 0 && [...this.#states.values()].every(({ inOrder }) => inOrder)
    return allInOrder ? now - this.#changedAt >= calmMs : this.quietMs(now) >= patienceMs
  }

  /** How long nothing new has happened. */
  quietMs(now: number): number {
    return now - this.#newAt
  }

  /** Something new begins. */
  disturb(now: number): void {
    this.#seen.clear()
    this.#changedAt = now
    this.#newAt = now
  }

  #note(state: string, now: number): void {
    this.#changedAt = now
    if (this.#seen.has(state)) return
    this.#seen.add(state)
    this.#newAt = now
  }
}

/** As git wants it. What is suspended is so because git says so. */
export const isInOrder = ({ status = {} }: Application): boolean =>
  status.sync?.status === 'Synced' && ['Healthy', 'Suspended'].includes(status.health?.status ?? '')

const isAtWork = ({ operation, status, metadata }: Application): boolean =>
  operation !== undefined ||
  metadata.deletionTimestamp !== undefined ||
  ['Running', 'Terminating'].includes(status?.operationState?.phase ?? '')

/** What counts as a change. A sync that failed is tried again and again: one attempt is like the other. */
function stateOf(app: Application, before: State | undefined): State {
  const { status = {}, metadata } = app
  const { phase, retryCount = 0, syncResult } = status.operationState ?? {}
  const revision = revisionsIn(status.sync ?? {}).join(' ')
  const hasFailed = phase === 'Failed' || phase === 'Error' || retryCount > 0
  const fails = hasFailed || (before?.failsAt === revision && phase !== 'Succeeded')
  const text = JSON.stringify([
    metadata.deletionTimestamp,
    status.sync?.status,
    revision,
    status.health?.status,
    status.health?.message,
    fails ? 'fails' : [phase, syncResult?.resources?.length],
    (status.conditions ?? []).flatMap(({ type }) => (type === 'SyncError' ? [] : [type])),
    (status.resources ?? []).map(({ kind, namespace, name, status: sync, health }) => [
      ...[kind, namespace, name],
      ...(fails ? [] : [sync]),
      health?.status,
    ]),
  ])
  return { text, inOrder: isInOrder(app) && !isAtWork(app), ...(fails ? { failsAt: revision } : {}) }
}
