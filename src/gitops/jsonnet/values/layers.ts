// Layers of an object, from the base to what extends it last, as far as names go: which layer has a field, and which fields
// show.

import { budget } from '../budget.ts'
import type { Visibility } from '../syntax/nodes.ts'
import { compareTexts } from './text.ts'

interface NamedField {
  readonly visibility: Visibility
}

export interface NamedLayer {
  readonly fields: ReadonlyMap<string, NamedField>
  /** A field that does not show of so many layers below; they see it still, as `super`. */
  readonly removes?: { readonly name: string; readonly layers: number }
}

/** The last layer below a level that has a field, or -1. */
export function levelOf(layers: readonly NamedLayer[], name: string, below: number): number {
  for (let level = below - 1; level >= 0; level--) {
    const layer = layers[level]
    budget.spend(1)
    if (layer?.fields.has(name) === true) return level
    if (layer?.removes?.name === name) level -= layer.removes.layers
  }
  return -1
}

/** Names, with whether they are hidden. */
export function fieldsOf(layers: readonly NamedLayer[]): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  for (const [level, { fields, removes }] of layers.entries()) {
    budget.spend(fields.size)
    if (removes !== undefined) {
      found.delete(removes.name)
      const hidden = isHidden(layers, removes.name, level - removes.layers)
      if (hidden !== undefined) found.set(removes.name, hidden)
    }
    for (const [name, field] of fields) found.set(name, hides(field, found.get(name)))
  }
  return found
}

/** Of a field below a level; undefined when there is none. */
function isHidden(layers: readonly NamedLayer[], name: string, below: number): boolean | undefined {
  const level = levelOf(layers, name, below)
  const field = layers[level]?.fields.get(name)
  if (field === undefined) return undefined
  return field.visibility === 'inherited' ? hides(field, isHidden(layers, name, level)) : hides(field, undefined)
}

const hides = ({ visibility }: NamedField, before: boolean | undefined): boolean =>
  visibility === 'inherited' ? before === true : visibility === 'hidden'

/** Those that show, or all; in order. */
export function sortedNames(fields: ReadonlyMap<string, boolean>, { hidden }: { readonly hidden: boolean }): string[] {
  const names: string[] = []
  for (const [name, isHidden] of fields) if (hidden || !isHidden) names.push(name)
  budget.spend(names.length)
  return names.sort(compareTexts)
}
