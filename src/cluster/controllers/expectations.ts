// What a loop has created or deleted and its cache does not show yet. The runtime holds a key for a few seconds only; a
// cache that lags longer (a hung watch) must not make a loop do the same again and again. Like the expectations of the real
// controllers, these are given up after five minutes and lost at a restart.

import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import { type Kit, seenRevision } from '#reconcile'
import { PerWorld } from './per-world.ts'

const givenUpAfterMs = 300_000

interface Expected {
  readonly revision: number
  readonly at: number
}

export class Expectations {
  readonly #kind: Kind
  readonly #byWorld = new PerWorld<Expected>()

  /** About children of this kind. */
  constructor(kind: Kind) {
    this.#kind = kind
  }

  /** Notes that `written` was made for `owner`, or told to go. */
  expect({ world }: Kit, owner: KubeObject, written: KubeObject): void {
    const expected = this.#byWorld.of(world)
    const uid = owner.metadata.uid ?? ''
    const revision = Number(written.metadata.resourceVersion ?? 0)
    const known = expected.get(uid)
    if (known === undefined || known.revision < revision) expected.set(uid, { revision, at: world.clock.now() })
  }

  /** World time until which the owner's loop has to wait for its cache. */
  waitUntil(kit: Kit, owner: KubeObject): number | undefined {
    const expected = this.#byWorld.of(kit.world)
    const uid = owner.metadata.uid ?? ''
    const known = expected.get(uid)
    if (known === undefined) return undefined
    const until = known.at + givenUpAfterMs
    if (until > kit.world.clock.now() && seenRevision(kit, this.#kind) < known.revision) return until
    expected.delete(uid)
    return undefined
  }
}
