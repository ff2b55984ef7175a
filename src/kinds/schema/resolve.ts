// Resolves the definitions of the built-in types (facts/) into Schema values. Lazy: a type is resolved when it is first
// asked for, and its fields when they are first read, so recursive types are finite and starting up costs nothing.

import type { Json, JsonObject, Schema, SchemaType } from '#objects'
import { definitionsText } from '../generated/definitions.ts'
import { goFieldFacts } from './go-fields.ts'

interface Raw {
  readonly type?: SchemaType
  readonly format?: string
  readonly default?: Json
  readonly enum?: readonly Json[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Raw>>
  readonly additionalProperties?: Raw
  readonly items?: Raw
  readonly allOf?: readonly Raw[]
  readonly $ref?: string
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[]
}

interface FieldFact {
  readonly pointer: boolean
  readonly shown: boolean
  readonly hidden: boolean
  readonly goType: string | undefined
}

const plainField: FieldFact = { pointer: false, shown: false, hidden: false, goType: undefined }

let definitions: Readonly<Record<string, Raw>> | undefined
let facts: ReadonlyMap<string, ReadonlyMap<string, FieldFact>> | undefined
let ofKind: ReadonlyMap<string, string> | undefined
const resolved = new Map<string, Schema>()

/** The schema of a built-in type by its full name, as `io.k8s.api.core.v1.Container`. */
export function schemaById(id: string): Schema | undefined {
  const known = resolved.get(id)
  if (known !== undefined) return known
  const raw = rawDefinitions()[id]
  if (raw === undefined) return undefined
  const schema = nodeOf({ id, raw }, plainField)
  resolved.set(id, schema)
  return schema
}

/** The schema of a built-in kind; undefined for kinds that only a CustomResourceDefinition knows. */
export function builtInSchema(group: string, version: string, kind: string): Schema | undefined {
  ofKind ??= indexKinds()
  const id = ofKind.get(`${group}/${version}/${kind}`)
  return id === undefined ? undefined : schemaById(id)
}

function rawDefinitions(): Readonly<Record<string, Raw>> {
  definitions ??= JSON.parse(definitionsText) as Readonly<Record<string, Raw>>
  return definitions
}

function indexKinds(): ReadonlyMap<string, string> {
  const index = new Map<string, string>()
  for (const [id, raw] of Object.entries(rawDefinitions()))
    for (const { group, version, kind } of raw['x-kubernetes-group-version-kind'] ?? [])
      index.set(`${group}/${version}/${kind}`, id)
  return index
}

function factsOf(id: string | undefined): ReadonlyMap<string, FieldFact> | undefined {
  facts ??= new Map(goFieldFacts.trim().split('\n').map(parseFacts))
  return id === undefined ? undefined : facts.get(id.replace('io.k8s.api.', '').replace('io.k8s.', ''))
}

function parseFacts(line: string): readonly [string, ReadonlyMap<string, FieldFact>] {
  const [type = '', ...fields] = line.split(' ')
  return [
    type,
    new Map(
      fields.map((field) => {
        const [, name = '', marks = '', goType] = /^(.*?)([*!?]*)(?:=(.*))?$/.exec(field) ?? []
        return [
          name,
          { pointer: marks.includes('*'), shown: marks.includes('!'), hidden: marks.includes('?'), goType },
        ] as const
      }),
    ),
  ]
}

interface Target {
  readonly id?: string
  readonly raw: Raw
}

/** What a node stands for, once its reference is followed. */
function targetOf(raw: Raw): Target {
  const id = (raw.$ref ?? raw.allOf?.[0]?.$ref)?.split('/').at(-1)
  if (id === undefined) return { raw }
  const target = rawDefinitions()[id]
  if (target === undefined) throw new Error(`no definition of ${id}`)
  return { id, raw: target }
}

/** Types that are not what their definition says: their Go code reads and writes them in its own way. */
const special: Readonly<Record<string, Partial<Schema>>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string', format: 'quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'any', format: 'int-or-string', intOrString: true },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'any', preserveUnknownFields: true },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'any', preserveUnknownFields: true },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': { type: 'any', preserveUnknownFields: true },
}

const schemaProps = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'

/** A schema, or something that is none: a list of them, true or false. */
const schemaOr: ReadonlySet<string> = new Set(
  ['Array', 'Bool', 'StringArray'].map((other) => `${schemaProps}Or${other}`),
)

const zeroOf: Readonly<Record<string, Json>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': '0',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 0,
}

function nodeOf(target: Target, fact: FieldFact, own: Raw = {}): Schema {
  const { id, raw } = target
  const node: { -readonly [K in keyof Schema]: Schema[K] } = {
    type: raw.type ?? 'any',
    goType: fact.goType ?? goTypeOf(target),
    ...annotations(raw),
    ...annotations(own),
    ...(id === undefined ? {} : { id, ...special[id] }),
    ...(fact.pointer ? { pointer: true } : {}),
  }
  if (raw.properties !== undefined) lazily(node, 'properties', () => propertiesOf(target))
  if (id !== undefined && schemaOr.has(id)) lazily(node, 'whenObject', () => schemaById(schemaProps))
  const { additionalProperties, items } = raw
  if (additionalProperties !== undefined) lazily(node, 'values', () => elementOf(additionalProperties))
  if (items !== undefined) lazily(node, 'items', () => elementOf(items))
  return node
}

function lazily<K extends keyof Schema>(node: Schema, key: K, make: () => Schema[K]): void {
  Object.defineProperty(node, key, {
    configurable: true,
    enumerable: true,
    get: () => {
      const value = make()
      Object.defineProperty(node, key, { value, enumerable: true })
      return value
    },
  })
}

const propertyMaps = new Map<string, ReadonlyMap<string, Schema>>()

/** One map for each type, however many fields refer to it: readers keep what they derive from a type by this map. */
function propertiesOf({ id, raw }: Target): ReadonlyMap<string, Schema> {
  const known = id === undefined ? undefined : propertyMaps.get(id)
  if (known !== undefined) return known
  const fieldFacts = factsOf(id)
  const map = new Map<string, Schema>()
  for (const [name, property] of Object.entries(raw.properties ?? {})) {
    const fact = fieldFacts?.get(name) ?? plainField
    const must = raw.required?.includes(name) === true && !fact.hidden
    map.set(
      name,
      withAbsent(nodeOf(targetOf(property), fact, property), property, { ...fact, shown: fact.shown || must }),
    )
  }
  if (id !== undefined) propertyMaps.set(id, map)
  return map
}

function elementOf(raw: Raw): Schema {
  return withAbsent(nodeOf(targetOf(raw), plainField, raw), raw, { ...plainField, shown: true })
}

/** Adds what stands for the value where it is absent, if anything does. */
function withAbsent(node: Schema, raw: Raw, fact: FieldFact): Schema {
  const absent = absentOf(node, raw, fact)
  if (absent === undefined) return node
  Object.defineProperty(node, 'absent', { value: absent, enumerable: true })
  return node
}

function absentOf(node: Schema, raw: Raw, fact: FieldFact): Json | undefined {
  if (fact.hidden) return undefined
  if (raw.default !== undefined) {
    const zero = raw.default === '' || raw.default === 0 || raw.default === false || isEmpty(raw.default)
    return zero && !fact.pointer ? raw.default : undefined
  }
  if (!fact.shown) return undefined
  if (node.format === 'byte') return ''
  return node.id === undefined ? null : (zeroOf[node.id] ?? null)
}

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value as JsonObject).length === 0

function annotations(raw: Raw): Partial<Schema> {
  const listType = raw['x-kubernetes-list-type']
  const listMapKeys = raw['x-kubernetes-list-map-keys']
  const mapType = raw['x-kubernetes-map-type']
  const patchStrategy = raw['x-kubernetes-patch-strategy']
  const patchMergeKey = raw['x-kubernetes-patch-merge-key']
  return {
    ...(raw.format === undefined ? {} : { format: raw.format }),
    ...(raw.default === undefined ? {} : { default: raw.default }),
    ...(raw.enum === undefined ? {} : { enum: raw.enum }),
    ...(raw.required === undefined ? {} : { required: raw.required }),
    ...(listType === undefined ? {} : { listType }),
    ...(listMapKeys === undefined ? {} : { listMapKeys }),
    ...(mapType === undefined ? {} : { mapType }),
    ...(patchStrategy === undefined ? {} : { patchStrategy }),
    ...(patchMergeKey === undefined ? {} : { patchMergeKey }),
  }
}

function goTypeOf({ id, raw }: Target): string {
  if (id !== undefined) return id.split('.').slice(-2).join('.')
  switch (raw.type) {
    case 'string':
      return raw.format === 'byte' ? '[]uint8' : 'string'
    case 'integer':
      return raw.format ?? 'int'
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    case 'array':
      return `[]${raw.items === undefined ? 'interface {}' : goTypeOf(targetOf(raw.items))}`
    case 'object':
      return raw.additionalProperties === undefined
        ? 'map[string]interface {}'
        : `map[string]${goTypeOf(targetOf(raw.additionalProperties))}`
    default:
      return 'interface {}'
  }
}
