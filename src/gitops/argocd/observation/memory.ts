// What the loops remember of applications between two looks: derived from git and the cluster, and made anew when it is
// lost. Pages read from here too. One owner, the application loop, but for the orphans.

import type { Client } from '#client'
import { Followers, Readers } from '#gitops/source'
import type { KubeObject } from '#objects'
import type { Cache } from '#reconcile'
import type { Comparison } from '../comparison/comparison.ts'
import type { Answers } from '../comparison/judge.ts'
import { concerned } from '../comparison/live-objects.ts'
import { LookupWatch } from '../desired/lookup-watch.ts'
import { Orphans } from '../orphans/orphans.ts'
import { StuckPods } from './stuck-pods.ts'

export interface AppMemory {
  readonly answers: Answers
  comparison: Comparison | undefined
  /** The cluster that was looked at then. */
  server: string | undefined
  /** Some of its objects are of kinds that the cluster does not serve. */
  hasUnknownKinds: boolean
  /** The version that the loop wrote last, if nothing is to be done after it. */
  written: string | undefined
}

export class Memory {
  readonly #apps = new Map<string, AppMemory>()
  /** Applications by the repositories that they read. */
  readonly followers = new Followers()
  /** What of those repositories they read. */
  readonly readers = new Readers()
  /** Applications that a commit concerns which they have not looked at yet. */
  readonly news = new Set<string>()
  /** Workloads that they wait for. */
  readonly stuckPods = new StuckPods()
  /** Written by the orphan loop. */
  readonly orphans = new Orphans()
  /** What charts have looked up for them. */
  readonly lookups = new LookupWatch()
  /** The application loop's view of the cluster, for readers; undefined before its first look. */
  cache: Cache | undefined
  /** Its way to ask it, for readers. */
  client: Client | undefined

  of(key: string): AppMemory {
    const known = this.#apps.get(key)
    if (known !== undefined) return known
    const made: AppMemory = {
      ...{ answers: new Map(), comparison: undefined, server: undefined },
      ...{ hasUnknownKinds: false, written: undefined },
    }
    this.#apps.set(key, made)
    return made
  }

  find(key: string): AppMemory | undefined {
    return this.#apps.get(key)
  }

  forget(key: string): void {
    this.followers.follow(key, [])
    this.readers.forget(key)
    this.news.delete(key)
    this.stuckPods.await(key, [])
    this.lookups.forget(key)
    this.#apps.delete(key)
  }

  /** Applications that a change of an object concerns, as theirs or as what they look at. */
  *concerned(object: KubeObject, old: KubeObject | undefined): Iterable<string> {
    yield* concerned(object, old)
    yield* this.lookups.concerned(object)
  }

  *withUnknownKinds(): Iterable<string> {
    for (const [key, app] of this.#apps) if (app.hasUnknownKinds) yield key
  }
}
