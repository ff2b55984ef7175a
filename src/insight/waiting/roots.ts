// Of objects that wait for the same cause, the one nearest to it is named, with the others as what it holds up: a Service and an
// Application in front of a Deployment whose pod has no node are one trouble, not three. Pure.

import { endsOf, type Finding } from '../explain/finding.ts'

export interface Chained {
  readonly findings: readonly Finding[]
}

export interface Root<T> {
  readonly item: T
  /** The objects that wait for the same. */
  readonly holdsUp: readonly string[]
}

/** Where its chains end: those that are stuck, or where none is, all that are open. */
function openEnds(findings: readonly Finding[]): readonly string[] {
  const open = endsOf(findings).filter(({ state }) => state !== 'converged')
  const stuck = open.filter(({ state }) => state === 'stuck')
  return (stuck.length > 0 ? stuck : open).map(({ object }) => object)
}

const depthOf = ({ findings }: Chained, object: string): number =>
  findings.find((finding) => finding.object === object)?.depth ?? 0

/** In the order of the items. */
export function rootsOf<T extends Chained>(items: readonly T[]): readonly Root<T>[] {
  const nearest = new Map<string, T>()
  for (const item of items)
    for (const { object } of item.findings) {
      const known = nearest.get(object)
      if (known === undefined || depthOf(item, object) < depthOf(known, object)) nearest.set(object, item)
    }
  const causesOf = (item: T): ReadonlySet<T | undefined> =>
    new Set(openEnds(item.findings).map((end) => nearest.get(end)))
  const heldUp = new Map<T, string[]>()
  const roots = items.filter((item) => {
    const causes = rootCauses(item, causesOf)
    for (const cause of causes) {
      const held = heldUp.get(cause) ?? []
      heldUp.set(cause, held)
      held.push(item.findings[0]?.object ?? '')
    }
    return causes.size === 0
  })
  return roots.map((item) => ({ item, holdsUp: heldUp.get(item) ?? [] }))
}

/** The items that an item waits for and that wait for none; none where it is one of them, or waits in a circle. */
function rootCauses<T>(start: T, causesOf: (item: T) => ReadonlySet<T | undefined>): ReadonlySet<T> {
  const roots = new Set<T>()
  const seen = new Set<T>([start])
  for (const item of seen) {
    const causes = causesOf(item)
    const isRoot = causes.size === 0 || causes.has(item) || causes.has(undefined)
    if (isRoot && item === start) return new Set()
    if (isRoot) roots.add(item)
    else for (const cause of causes) if (cause !== undefined) seen.add(cause)
  }
  return roots
}
