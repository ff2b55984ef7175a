// Loops that cannot do their work, whatever object it is about: paused, without their first list, cut off from a watch, or
// failing on something that no waiting object speaks of. Pure.

import type { Fault } from '#kinds'
import { formatTime } from '#objects'
import type { LoopFigures, RuntimeFigures } from '#reconcile'
import type { Finding } from '../explain/finding.ts'

export interface LoopTrouble {
  /** A loop, or `watch of Pods`. */
  readonly loop: string
  readonly trouble: 'fails' | 'is paused' | 'has not begun' | 'hears nothing'
  /** How many keys fail, or wait. */
  readonly keys: number
  /** The first of them. */
  readonly key?: string
  readonly error: string
  readonly nextTryAt?: string
}

export function loopTroubles(
  { loops, caches }: RuntimeFigures,
  told: readonly { readonly findings: readonly Finding[] }[],
  faults: readonly Fault[] = [],
): readonly LoopTrouble[] {
  const heldBy = (target: string): string | undefined => {
    const fault = faults.find(({ status }) => status?.phase !== 'Idle' && status?.targets?.includes(target) === true)
    return fault === undefined
      ? undefined
      : `the Fault ${fault.metadata.name} holds it: kubectl delete fault ${fault.metadata.name}`
  }
  const known = new Set(
    told.flatMap(({ findings }) => findings.map(({ object }) => object.slice(object.indexOf(' ') + 1))),
  )
  const held = caches
    .filter(({ paused, synced }) => paused || !synced)
    .map(({ kind, lastError, synced }) => ({
      loop: `watch of ${kind.kind}`,
      trouble: 'hears nothing' as const,
      keys: 0,
      error:
        heldBy(kind.kind) ??
        heldBy(kind.resource) ??
        lastError?.message ??
        (synced ? 'it is held: what the loops see of this kind is old' : 'its first list is not finished'),
    }))
  return [...held, ...loops.flatMap((loop) => troubleOf(loop, { known, heldBy: heldBy(loop.name) }))]
}

function troubleOf(
  { name, paused, synced, queueDepth, backoff }: LoopFigures,
  { known, heldBy }: { readonly known: ReadonlySet<string>; readonly heldBy: string | undefined },
): LoopTrouble[] {
  if (paused)
    return [
      { loop: name, trouble: 'is paused', keys: queueDepth, error: heldBy ?? 'it takes up nothing before it goes on' },
    ]
  if (!synced)
    return [
      {
        loop: name,
        trouble: 'has not begun',
        keys: queueDepth,
        error: 'it waits for the first list of a kind that it reads',
      },
    ]
  const untold = backoff.filter(({ key }) => !known.has(key))
  const [first] = untold
  if (first === undefined) return []
  return [
    {
      loop: name,
      trouble: 'fails',
      keys: untold.length,
      key: first.key,
      error: first.error,
      ...(first.nextTryAt === undefined ? {} : { nextTryAt: formatTime(first.nextTryAt) }),
    },
  ]
}
