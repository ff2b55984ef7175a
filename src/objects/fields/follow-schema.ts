// Brings a field set in line with a schema that has changed since it was recorded: what has become atomic is owned as a
// whole. (What has become granular stays owned as it was, as in Kubernetes.)

import { type Atom, deduced, fieldAtom } from './atom.ts'
import type { FieldSet } from './field-set.ts'

/** The same set if the schema takes it as it is. */
export function followSchema(set: FieldSet, atom: Atom): FieldSet {
  let members: Set<string> | undefined
  let children: Map<string, FieldSet> | undefined
  for (const [element, child] of set.children) {
    const below = atomBelow(atom, element)
    if (below === undefined || below === deduced) continue
    const isAtomic = below.map?.atomic ?? below.list?.atomic ?? false
    const next = isAtomic ? undefined : followSchema(child, below)
    if (next === child) continue
    children ??= new Map(set.children)
    if (next !== undefined) {
      children.set(element, next)
      continue
    }
    members ??= new Set(set.members)
    members.add(element)
    children.delete(element)
  }
  if (members === undefined && children === undefined) return set
  return { members: members ?? set.members, children: children ?? set.children }
}

function atomBelow({ map, list }: Atom, element: string): Atom | undefined {
  if (element.startsWith('f:')) return map === undefined ? undefined : fieldAtom(map, element.slice(2))
  return list?.element
}
