// What happens between two states of a repository: which objects were found to differ, in the API server's own words, and
// what became of each in the syncs, in their order.

import type { ManagedState, Seen } from '#gitops'
import { keyText } from '#gitops/diff'
import { waveOf } from '#gitops/sync'
import type { Application, ResourceResult } from '#kinds'
import { type AnyObject, objectKey, parseTime } from '#objects'

export interface TimedResult extends ResourceResult {
  /** Seconds since the move when it was first told. */
  readonly atSeconds: number
}

export interface Pages {
  /** By object: as it was first found to differ, without a refusal if there was such a look. */
  readonly differing: ReadonlyMap<string, ManagedState>
  /** By phase and object, in the order of the syncs. */
  readonly results: ReadonlyMap<string, TimedResult>
  /** Waves of hooks, by object. */
  readonly hookWaves: ReadonlyMap<string, number>
}

interface OpenPages extends Pages {
  readonly differing: Map<string, ManagedState>
  readonly results: Map<string, TimedResult>
  readonly hookWaves: Map<string, number>
}

const newPages = (): OpenPages => ({ differing: new Map(), results: new Map(), hookWaves: new Map() })
const noPages: Pages = newPages()

export class Diary {
  readonly #now: () => number
  readonly #apps = new Map<string, OpenPages>()
  #beganAt: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  /** What comes from now on is written down. */
  begin(): void {
    this.#apps.clear()
    this.#beganAt = this.#now()
  }

  of(key: string): Pages {
    return this.#apps.get(key) ?? noPages
  }

  /** A look at an application, before anything is done about it. */
  see(app: Application, { states, hooks }: Seen): void {
    if (this.#beganAt === undefined) return
    const { differing, hookWaves } = this.#pagesOf(objectKey(app))
    for (const state of states()) {
      if (!state.modified) continue
      const id = keyText(state)
      const before = differing.get(id)
      if (before === undefined || (before.refusal !== undefined && state.refusal === undefined))
        differing.set(id, state)
    }
    for (const hook of hooks) hookWaves.set(hookId(hook), waveOf(hook))
  }

  /** A change of an application: its operation may have come further. */
  hear(key: string, app: Application | undefined): void {
    const beganAt = this.#beganAt
    const operation = app?.status?.operationState
    if (beganAt === undefined || operation === undefined) return
    // Times in status have whole seconds.
    if ((parseTime(operation.startedAt) ?? 0) < Math.floor(beganAt / 1000) * 1000) return
    const { results } = this.#pagesOf(key)
    const atSeconds = Math.round((this.#now() - beganAt) / 1000)
    for (const result of operation.syncResult?.resources ?? []) {
      const id = `${result.syncPhase ?? ''} ${keyText(result)}`
      results.set(id, { ...result, atSeconds: results.get(id)?.atSeconds ?? atSeconds })
    }
  }

  #pagesOf(key: string): OpenPages {
    const known = this.#apps.get(key) ?? newPages()
    this.#apps.set(key, known)
    return known
  }
}

/** Hooks may have no name of their own before they are made. */
const hookId = ({ kind, metadata }: AnyObject): string => `${kind} ${metadata.name ?? metadata.generateName ?? ''}`

/** The wave of a hook that a result names. */
export function hookWaveOf({ hookWaves }: Pages, { kind, name }: ResourceResult): number | undefined {
  const exact = hookWaves.get(`${kind} ${name}`)
  if (exact !== undefined) return exact
  for (const [id, wave] of hookWaves) if (id.endsWith('-') && `${kind} ${name}`.startsWith(id)) return wave
  return undefined
}
