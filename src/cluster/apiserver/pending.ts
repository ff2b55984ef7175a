// Plain forms of what #objects is about to give: replaced, function by function, as they land there.

import { parse } from 'yaml'
import type { ApiErrorParts } from '#api'
import type { AnyObject, Json, ManagedFieldsEntry, Schema } from '#objects'

type Values = Record<string, unknown>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function applySchemaDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return value
    let copy: unknown[] | undefined
    value.forEach((element, i) => {
      const next = applySchemaDefaults(element, items)
      if (next === element) return
      copy ??= [...value]
      copy[i] = next
    })
    return copy ?? value
  }
  if (!isObject(value)) return value
  let copy: Values | undefined
  const set = (key: string, next: unknown): void => {
    if (next === value[key]) return
    copy ??= { ...value }
    copy[key] = next
  }
  for (const [key, property] of schema.properties ?? []) {
    const given = value[key] ?? property.default
    if (given !== undefined) set(key, applySchemaDefaults(given, property))
  }
  if (schema.values !== undefined)
    for (const key of Object.keys(value)) set(key, applySchemaDefaults(value[key], schema.values))
  return copy ?? value
}

export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const out: Record<string, Json> = isObject(target) ? { ...(target as Record<string, Json>) } : {}
  for (const [key, value] of Object.entries(patch as Record<string, Json>)) {
    if (value === null) delete out[key]
    else out[key] = mergePatch(out[key] ?? null, value)
  }
  return out
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly value?: Json
}

export function jsonPatch(document: Json, operations: Json): Json {
  return (operations as unknown as readonly Operation[]).reduce(
    (now, operation) => applyOperation(now, operation),
    document,
  )
}

const unescape = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')

function applyOperation(
  node: Json,
  operation: Operation,
  path = operation.path.split('/').slice(1).map(unescape),
): Json {
  const [head, ...rest] = path
  if (head === undefined) return operation.value ?? null
  if (Array.isArray(node)) {
    const copy = [...node] as Json[]
    const at = head === '-' ? copy.length : Number(head)
    if (rest.length > 0) copy[at] = applyOperation(copy[at] ?? null, operation, rest)
    else if (operation.op === 'remove') copy.splice(at, 1)
    else copy.splice(at, operation.op === 'replace' ? 1 : 0, operation.value ?? null)
    return copy
  }
  const copy: Record<string, Json> = isObject(node) ? { ...(node as Record<string, Json>) } : {}
  if (rest.length > 0) copy[head] = applyOperation(copy[head] ?? {}, operation, rest)
  else if (operation.op === 'remove') delete copy[head]
  else copy[head] = operation.value ?? null
  return copy
}

export const strategicMergePatch = (target: Json, patch: Json, _schema: Schema): Json => mergePatch(target, patch)

export interface LabelRequirement {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}

export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim())
  return parts.map((part) => {
    const set = /^(\S+)\s+(in|notin)\s+\((.*)\)$/.exec(part)
    if (set !== null)
      return { key: set[1] ?? '', operator: set[2] ?? '', values: (set[3] ?? '').split(',').map((v) => v.trim()) }
    const pair = /^([^!=]+)(==|=|!=)(.*)$/.exec(part)
    if (pair !== null)
      return {
        key: (pair[1] ?? '').trim(),
        operator: pair[2] === '!=' ? 'notin' : 'in',
        values: [(pair[3] ?? '').trim()],
      }
    return part.startsWith('!')
      ? { key: part.slice(1).trim(), operator: '!', values: [] }
      : { key: part, operator: 'exists', values: [] }
  })
}

export function matchesLabels(
  selector: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = labels?.[key]
    if (operator === 'exists') return value !== undefined
    if (operator === '!') return value === undefined
    return (value !== undefined && values.includes(value)) === (operator === 'in')
  })
}

export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const pair = /^([^!=]+)(==|=|!=)(.*)$/.exec(part.trim())
      if (pair === null) throw new Error(`invalid selector: '${text}'; can't understand '${part}'`)
      return { field: pair[1] ?? '', operator: pair[2] === '!=' ? '!=' : '=', value: pair[3] ?? '' }
    })
}

export const updateManagedFields = (write: {
  readonly managedFields: readonly ManagedFieldsEntry[]
}): readonly ManagedFieldsEntry[] => write.managedFields

type Applied =
  | { readonly type: 'applied'; readonly object: AnyObject; readonly managedFields: readonly ManagedFieldsEntry[] }
  | { readonly type: 'conflict'; readonly error: ApiErrorParts }

export function applyServerSide(_request: object): Applied {
  throw new Error('server-side apply has not landed')
}

export class SyntaxFault extends Error {}

export function parseJson(text: string): { readonly value: Json } {
  try {
    return { value: JSON.parse(text) as Json }
  } catch (error) {
    throw new SyntaxFault(String(error))
  }
}

export const parseYaml = (text: string): { readonly value: Json } => ({
  value: parse(text, { version: '1.1' }) as Json,
})
