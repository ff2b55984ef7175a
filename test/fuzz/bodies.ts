// Bodies of requests: made by the schemas of kinds, or recorded ones of which a few parts are changed.

import { builtInSchema } from '#kinds'
import type { Json, JsonObject, Schema } from '#objects'
import { below, chance, type Draw, oddNumber, oddText, oddValue, pick, withFields } from './draw.ts'

/** A value of a schema, for the most part: now and then anything else. */
export function bySchema(draw: Draw, schema: Schema, depth = 6): Json {
  if (below(draw, 500) === 0) return oddValue(draw)
  if (schema.enum !== undefined && chance(draw, 90)) return pick(draw, schema.enum)
  if (schema.intOrString === true) return chance(draw, 50) ? smallNumber(draw) : fittingText(draw, schema)
  switch (schema.type) {
    case 'object':
      return fieldsBySchema(draw, schema, depth)
    case 'array': {
      const { items } = schema
      if (items === undefined || depth <= 0) return []
      return Array.from({ length: below(draw, 4) }, () => bySchema(draw, items, depth - 1))
    }
    case 'integer':
    case 'number':
      return chance(draw, 97) ? smallNumber(draw) : oddNumber(draw)
    case 'boolean':
      return chance(draw, 50)
    case 'string':
      return fittingText(draw, schema)
    default:
      return oddValue(draw)
  }
}

const smallNumber = (draw: Draw): number => pick(draw, [0, 1, 2, 3, 10, 80, 443, 600, 65535, -1, 65536, 2147483647])

/** What a text of this type can be, or any. */
function fittingText(draw: Draw, { goType = '', format }: Schema): string {
  if (chance(draw, 15)) return oddText(draw)
  if (goType.includes('Quantity')) return pick(draw, ['1', '10m', '1Gi', '0', '-1', '1500m', '1e3', '0.1', '3Ti'])
  if (goType.includes('Time') || format === 'date-time')
    return pick(draw, ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.123456Z', '1969-12-31T23:59:59Z'])
  if (format === 'byte') return pick(draw, ['', 'YQ==', 'AAAA', btoa('x'.repeat(100))])
  return pick(draw, plausible)
}

/** Words that mean something to some kind. */
const plausible: readonly string[] =
  'a b app default kube-system 10.0.0.1 10.0.0.0/8 ::1 fd00::/64 80% 1Gi Always Never Exists In NotIn Equal NoSchedule TCP UDP http Pod Node v1 apps/v1 example.com example.com/x a.b/c kubernetes.io/hostname Cluster Namespaced ClusterIP LoadBalancer ExternalName None IPv4 RuntimeDefault Unconfined cpu memory pods count/pods 0 1 1m 1h /a /a/b True False Allow Deny Delete Retain Parallel'.split(
    ' ',
  )

function fieldsBySchema(draw: Draw, schema: Schema, depth: number): Json {
  const { properties, values, required = [] } = schema
  if (depth <= 0) return {}
  if (values !== undefined)
    return withFields(
      Array.from({ length: below(draw, 3) }, () => [fittingText(draw, values), bySchema(draw, values, depth - 1)]),
    )
  const share = depth > 4 ? 60 : 25
  return withFields(
    [...(properties ?? [])]
      .filter(([name]) => required.includes(name) || chance(draw, share))
      .map(([name, field]) => [name, bySchema(draw, field, depth - 1)]),
  )
}

type Path = readonly (string | number)[]

/** Every part of a value, the whole first. */
export function pathsOf(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const parts: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? (value as readonly Json[]).map((element, i) => [i, element])
    : Object.entries(value as JsonObject).map(([name, field]) => [name, field as Json])
  return [path, ...parts.flatMap(([key, part]) => pathsOf(part, [...path, key]))]
}

export function partAt(value: Json, path: Path): Json | undefined {
  let part: Json | undefined = value
  for (const key of path) part = (part as Readonly<Record<string | number, Json>> | undefined)?.[key]
  return part
}

type Change = (part: Json) => Json | undefined

/** The value with one part of it changed; undefined takes it away. */
function changedAt(value: Json, [key, ...rest]: Path, change: Change): Json | undefined {
  if (key === undefined) return change(value)
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((element, i) => {
      const next = i === key ? changedAt(element, rest, change) : element
      return next === undefined ? [] : [next]
    })
  return withFields(
    Object.entries(value as JsonObject).flatMap(([name, field]) => {
      const next = name === key ? changedAt(field as Json, rest, change) : (field as Json)
      return next === undefined ? [] : [[name, next] as const]
    }),
  )
}

/** What the schema says of a part. */
function schemaAt(schema: Schema | undefined, path: Path): Schema | undefined {
  let at = schema
  for (const key of path) at = typeof key === 'number' ? at?.items : (at?.properties?.get(key) ?? at?.values)
  return at
}

export function mutated(draw: Draw, body: Json): Json {
  let value = body
  for (let times = 1 + below(draw, 3); times > 0; times--) {
    const paths = pathsOf(value)
    // What is wrong with its kind goes nowhere.
    const inner = paths.filter(([first]) => first !== undefined && first !== 'kind' && first !== 'apiVersion')
    const path = pick(draw, inner.length === 0 || chance(draw, 3) ? paths : inner)
    const schema = schemaAt(schemaOf(value), path)
    value = changedAt(value, path, changeOf(draw, schema)) ?? null
  }
  return value
}

function changeOf(draw: Draw, schema: Schema | undefined): Change {
  const fitting = (of: Schema | undefined): Json => (of === undefined ? oddValue(draw) : bySchema(draw, of, 3))
  const way = below(draw, 20)
  switch (way < 8 ? 0 : way < 11 ? 1 : way < 14 ? 2 : way < 19 ? 3 : 4) {
    case 0:
      return () => fitting(schema)
    case 1:
      return () => undefined
    case 2:
      return (part) =>
        Array.isArray(part) ? [...(part as readonly Json[]), ...(part as readonly Json[])] : fitting(schema)
    case 3:
      return (part) => {
        if (typeof part !== 'object' || part === null || Array.isArray(part)) return fitting(schema)
        const name = fieldName(draw, schema)
        const field = schema?.properties?.get(name) ?? schema?.values
        return withFields([...(Object.entries(part as JsonObject) as [string, Json][]), [name, fitting(field)]])
      }
    default:
      return () => oddValue(draw)
  }
}

const fieldName = (draw: Draw, schema: Schema | undefined): string => {
  const known = [...(schema?.properties?.keys() ?? [])]
  return known.length > 0 && chance(draw, 90) ? pick(draw, known) : oddText(draw)
}

function schemaOf(value: Json): Schema | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { apiVersion, kind } = value as { readonly apiVersion?: unknown; readonly kind?: unknown }
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  const [first = '', second] = apiVersion.split('/')
  return builtInSchema(second === undefined ? '' : first, second ?? first, kind)
}
