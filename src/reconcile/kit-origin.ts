// What stands behind a kit: its runner, recorder and notes. The runtime registers every kit that it makes, so that functions
// like `recordEvent(kit, …)` and `followKind(kit, …)` need no further member in `Kit`.

import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { EventParts, EventRecorder, SeriesEventParts } from './event-recorder.ts'
import type { KeysOf, Kit } from './loop.ts'
import type { LoopRunner } from './loop-runner.ts'
import type { WriteNotes } from './write-notes.ts'

interface Behind {
  readonly runner: LoopRunner
  readonly recorder: EventRecorder
  /** Of the worker whose kit it is. */
  readonly notes: WriteNotes
}

const byKit = new WeakMap<Kit, Behind>()

export function registerKit(kit: Kit, origin: Behind): void {
  byKit.set(kit, origin)
}

export function behind(kit: Kit): Behind {
  const found = byKit.get(kit)
  if (found === undefined) throw new Error(`the kit of ${kit.name} was not made by a runtime`)
  return found
}

/** Lets a loop watch a kind that it learns of only at run time. Repeating it does nothing. */
export function followKind<T extends KubeObject>(kit: Kit, kind: Kind<T>, keys: KeysOf<T>): void {
  behind(kit).runner.follow(kind, keys as KeysOf<unknown>)
}

/** Whether a kind followed at run time has been listed: before that, its cache is empty. */
export const isFollowed = (kit: Kit, kind: Kind): boolean => behind(kit).runner.hasSynced(kind)

/** How far the cache of a kind has come: everything up to this revision shows in it. */
export const seenRevision = (kit: Kit, kind: Kind): number => behind(kit).runner.revisionOf(kind)

/** Records a core/v1 Event in the name of the kit's loop. */
export const recordEvent = (kit: Kit, parts: EventParts): void => behind(kit).recorder.record(parts)

/** Records an events.k8s.io/v1 Event in the name of the kit's loop. */
export const recordSeriesEvent = (kit: Kit, parts: SeriesEventParts): void => behind(kit).recorder.recordSeries(parts)
