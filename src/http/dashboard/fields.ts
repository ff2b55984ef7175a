// Argo CD's `fields`: which parts of an answer a client wants (`items.metadata.name,items.status.health`), or, with `-`
// before them all, which it does not. Lists are gone through; what is not there is left out.

import type { FastifyRequest } from 'fastify'
import type { Json } from '#objects'
import { queryOf } from './context.ts'

interface Choice {
  /** By name; undefined: the whole field. */
  readonly inside: Map<string, Choice | undefined>
}

/** Makes of a value below `prefix` what the request asks for. */
export type Chosen = <T>(value: T) => T

const everything: Chosen = (value) => value

export function chosenFields(request: FastifyRequest, prefix: string): Chosen {
  const text = queryOf(request, 'fields')
  if (text === undefined) return everything
  const leavesOut = text.startsWith('-')
  const root: Choice = { inside: new Map() }
  for (const path of (leavesOut ? text.slice(1) : text).split(',')) note(root, path.trim().split('.'))
  const choice = root.inside.get(prefix)
  const isNamed = root.inside.has(prefix)
  // The whole of it, or nothing of it.
  if (choice === undefined) return isNamed === leavesOut ? <T>() => ({}) as T : everything
  const take = leavesOut ? without : only
  return <T>(value: T) => take(value as Json, choice) as T
}

/** A whole field takes its parts in. */
function note({ inside }: Choice, [name = '', ...below]: readonly string[]): void {
  if (below.length === 0 || (inside.has(name) && inside.get(name) === undefined)) inside.set(name, undefined)
  else {
    const next = inside.get(name) ?? { inside: new Map() }
    inside.set(name, next)
    note(next, below)
  }
}

function only(value: Json, choice: Choice): Json {
  if (Array.isArray(value)) return value.map((each: Json) => only(each, choice))
  if (typeof value !== 'object' || value === null) return value
  const kept: Record<string, Json> = {}
  for (const [name, inside] of choice.inside) {
    const field = (value as Readonly<Record<string, Json>>)[name]
    if (field !== undefined) kept[name] = inside === undefined ? field : only(field, inside)
  }
  return kept
}

function without(value: Json, choice: Choice): Json {
  if (Array.isArray(value)) return value.map((each: Json) => without(each, choice))
  if (typeof value !== 'object' || value === null) return value
  const kept: Record<string, Json> = {}
  for (const [name, field] of Object.entries(value as Readonly<Record<string, Json>>)) {
    const inside = choice.inside.get(name)
    if (inside !== undefined) kept[name] = without(field, inside)
    else if (!choice.inside.has(name)) kept[name] = field
  }
  return kept
}
