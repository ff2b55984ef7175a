// Secret values never leave this room in the clear. Equal values get equal masks (`++++++++`, each further value of a
// key four `+` longer), so that it stays visible whether they differ. Argo CD's masks.

import { type AnyObject, isJsonMap, type Json, type JsonObject } from '#objects'
import { lastAppliedAnnotation } from './normalise.ts'

const dataFields = ['data', 'stringData'] as const

export const isSecret = (object: { readonly apiVersion: string; readonly kind: string } | undefined): boolean =>
  object?.kind === 'Secret' && object.apiVersion === 'v1'

/** The objects (states of one Secret; absent ones stay absent) with masked values. Objects of other kinds come back as they are. */
export function maskSecrets<T extends readonly (AnyObject | undefined)[]>(
  ...objects: T
): { readonly [K in keyof T]: T[K] } {
  if (!objects.some((object) => isSecret(object))) return objects
  const masks = new Masks()
  return objects.map((object) => (object === undefined ? undefined : maskOne(object, masks))) as unknown as {
    readonly [K in keyof T]: T[K]
  }
}

/** What an API server says of a Secret that does not fit its schema, without the value that it found there. */
export const maskFault = (message: string): string =>
  message.replace(/(: expected [a-z]+, got )[\s\S]*/, '$1another value, which is not shown')

class Masks {
  readonly #byKey = new Map<string, Map<string, string>>()

  of(key: string, value: string): string {
    const known = this.#byKey.get(key) ?? new Map<string, string>()
    this.#byKey.set(key, known)
    const mask = known.get(value) ?? '+'.repeat(8 + 4 * known.size)
    known.set(value, mask)
    return mask
  }
}

function maskOne(object: AnyObject, masks: Masks): AnyObject {
  const masked: Record<string, unknown> = { ...object }
  for (const field of dataFields) {
    const values = object[field] as Json | undefined
    if (isJsonMap(values)) masked[field] = maskValues(values, { field, masks })
    // Somebody's mistake, and a secret all the same.
    else if (values !== undefined && values !== null) masked[field] = masks.of(field, JSON.stringify(values))
  }
  const note = object.metadata.annotations?.[lastAppliedAnnotation]
  if (note !== undefined) {
    const annotations = { ...object.metadata.annotations, [lastAppliedAnnotation]: maskNote(note, masks) }
    masked['metadata'] = { ...object.metadata, annotations }
  }
  return masked as unknown as AnyObject
}

function maskValues(
  values: JsonObject,
  { field, masks }: { readonly field: string; readonly masks: Masks },
): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      // A text under stringData is the same value as its base64 under data.
      return [key, masks.of(key, field === 'data' ? text : base64(text))]
    }),
  )
}

function base64(text: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}

function maskNote(note: string, masks: Masks): string {
  try {
    const object = JSON.parse(note) as Json
    if (!isJsonMap(object)) return '++++++++'
    return JSON.stringify(maskOne(object as unknown as AnyObject, masks))
  } catch {
    return '++++++++'
  }
}
