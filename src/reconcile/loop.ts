// What a loop is: declared data plus one function. `reconcile` observes (cache, client), decides (a pure function in the
// loop's folder) and takes one step; it never waits and keeps nothing between two calls. Loops meet only in objects.

import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cancel, World } from '#world'
import type { Cache } from './cache.ts'
import type { Backoff } from './queue.ts'

/** All that a loop is given. A sixth member would be a change of architecture. */
export interface Kit {
  readonly client: Client
  readonly cache: Cache
  readonly world: World
  /** The loop's name: for log lines, figures and Events. */
  readonly name: string
  /** Aborts when the loop is stopped. */
  readonly signal: AbortSignal
}

export type Outcome = { readonly type: 'done' } | { readonly type: 'requeueAfter'; readonly afterMs: number }

const doneOutcome: Outcome = { type: 'done' }

/** Nothing left to do until something changes. */
export const done = (): Outcome => doneOutcome

/** Look at this key again after `afterMs` of world time, even if nothing changes. */
export const requeueAfter = (afterMs: number): Outcome => ({ type: 'requeueAfter', afterMs })

/** A failure that repeating cannot mend: reported in the loop's figures, not retried until something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}

/** Keys, one by one. A single text would be taken for its letters: it is no object, so it does not fit. */
export type Keys = Iterable<string> & object

/** Which keys of the loop an object of a watched kind concerns. Called with the new and, for changes, the old state. */
export type KeysOf<T> = (object: T, old: T | undefined, cache: Cache) => Keys

export interface Watched<T extends KubeObject = KubeObject> {
  readonly kind: Kind<T>
  readonly keys: KeysOf<T>
  /** Keys wait so long before they are looked at, so that many changes make one look. */
  readonly batchMs?: number
}

export interface LoopDefinition {
  /** Unique: `deployment`, `scheduler`, `kubelet-lease`. */
  readonly name: string
  /** User that the loop's requests carry: `system:serviceaccount:kube-system:deployment-controller`. */
  readonly user: string
  /** First part of the user agent, which is also its field manager: `kube-controller-manager`, `kubelet`. */
  readonly manager: string
  /** The kind whose objects are this loop's keys, for figures and `explain`; loops over other keys leave it out. */
  readonly reconciles?: Kind
  readonly watches: readonly Watched<never>[]
  /** Kinds that are read from the cache without waking the loop. */
  readonly reads?: readonly Kind[]
  /** Keys that are enqueued once at start (a loop over the whole cluster uses `['*']`). */
  readonly startKeys?: readonly string[]
  /** Things outside of the cluster that wake keys (a git repository that moved). Called when the loop starts; the answer ends it. */
  readonly wakes?: (wake: (key: string) => void) => Cancel
  /** How many keys are worked on at the same time. */
  readonly workers: number
  /** How long a key is left alone after a look, whatever happens: for looks that cost much and have many reasons. */
  readonly restMs?: (key: string) => number
  /** How long a key waits after it has failed; default: 5 ms, doubling to 1,000 s. */
  readonly backoff?: Backoff
  readonly reconcile: (key: string, kit: Kit) => Promise<Outcome>
}

/** Declares one entry of `watches`, keeping the kind's type for `keys`. */
export function watching<T extends KubeObject>(
  kind: Kind<T>,
  keys: KeysOf<T>,
  options: Pick<Watched, 'batchMs'> = {},
): Watched<never> {
  return { kind, keys, ...options } as unknown as Watched<never>
}
