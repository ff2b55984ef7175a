// The annotation in which `kubectl apply` keeps its configuration on the client's side. Server-side apply as `kubectl` may
// take the fields that it names and that still are as it says, and writes it anew.

import type { Atom } from '../fields/atom.ts'
import { compareValues } from '../fields/compare.ts'
import { difference, emptySet, type FieldSet } from '../fields/field-set.ts'
import { fieldsOf } from '../fields/to-set.ts'
import type { AnyObject, Json, KubeObject } from '../object.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

export interface Applying {
  readonly live: KubeObject | undefined
  readonly apiVersion: string
}

/** Fields that the annotation names and the live object still holds as it says. */
export function allowedByLastApplied({ live, apiVersion }: Applying, atom: Atom): FieldSet {
  const text = live?.metadata.annotations?.[annotation]
  if (live === undefined || text === undefined || text === '') return emptySet
  const config = parse(text)
  if (config === undefined || (config as { apiVersion?: Json }).apiVersion !== apiVersion) return emptySet
  const { added, modified, removed } = compareValues(config, live as unknown as Json, atom)
  return [modified, added, removed].reduce(difference, fieldsOf(config, atom))
}

function parse(text: string): { readonly [key: string]: Json } | undefined {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as { readonly [key: string]: Json })
      : undefined
  } catch {
    return undefined
  }
}

/** The object with its annotation telling what was applied; objects that have none get none. */
export function withLastApplied(object: AnyObject, config: KubeObject): AnyObject {
  const { metadata } = object
  const current = metadata.annotations?.[annotation]
  if (current === undefined || current === '') return object
  const { annotations, ...rest } = config.metadata
  const { [annotation]: _, ...others } = annotations ?? {}
  const named = Object.keys(others).length === 0 ? rest : { ...rest, annotations: others }
  const text = `${JSON.stringify(sorted({ ...config, metadata: named } as unknown as Json))}\n`
  if (text === current) return object
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation]: text } } }
}

/** With keys in order, as Go writes maps. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value as { readonly [key: string]: Json }).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]))
}
