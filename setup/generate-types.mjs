// Makes src/kinds/generated from facts/: the TypeScript types of all built-in kinds, their schema as one JSON text and
// the table of resources. The result is not committed. Plain JavaScript without dependencies: it runs before the build.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const metaTypes = {
  ObjectMeta: 'ObjectMeta',
  OwnerReference: 'OwnerReference',
  LabelSelector: 'LabelSelector',
  LabelSelectorRequirement: 'LabelSelectorRequirement',
  ManagedFieldsEntry: 'ManagedFieldsEntry',
  Condition: 'Condition',
}

/** One short name for each definition: `Pod`, and `EventsV1Event` where two groups use the same name. */
function shortNames(definitions) {
  const byName = new Map()
  for (const id of Object.keys(definitions)) {
    const name = id.split('.').at(-1)
    byName.set(name, [...(byName.get(name) ?? []), id])
  }
  const names = new Map()
  for (const [name, ids] of byName) {
    for (const id of ids) {
      const [group, version] = id.split('.').slice(-3, -1)
      const prefix = `${group[0].toUpperCase()}${group.slice(1)}${version[0].toUpperCase()}${version.slice(1)}`
      names.set(id, ids.length === 1 ? name : `${prefix}${name}`)
    }
  }
  return names
}

const refOf = (schema) => (schema.$ref ?? schema.allOf?.[0]?.$ref)?.split('/').at(-1)

function typeOf(schema, names) {
  const ref = refOf(schema)
  if (ref !== undefined) {
    const last = ref.split('.').at(-1)
    if (ref.includes('apimachinery') && metaTypes[last]) return metaTypes[last]
    return names.get(ref)
  }
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string' || schema.oneOf)
    return 'string | number'
  switch (schema.type) {
    case 'string':
      return schema.enum ? schema.enum.map((v) => JSON.stringify(v)).join(' | ') : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array': {
      const item = typeOf(schema.items, names)
      return /[| ]/.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`
    }
    case 'object':
      if (schema.additionalProperties)
        return `{ readonly [key: string]: ${typeOf(schema.additionalProperties, names)} }`
      return 'JsonObject'
    default:
      return 'Json'
  }
}

function declaration(id, schema, names) {
  const name = names.get(id)
  const last = id.split('.').at(-1)
  if (id.includes('apimachinery') && metaTypes[last]) return ''
  if (last === 'IntOrString' || last === 'Quantity') return `export type ${name} = string | number\n`
  if (schema.type !== 'object' || !schema.properties) return `export type ${name} = ${typeOf(schema, names)}\n`
  const topLevel = schema.properties.apiVersion && schema.properties.kind && schema.properties.metadata
  const lines = Object.entries(schema.properties).map(([key, property]) => {
    const must =
      schema.required?.includes(key) ||
      (topLevel &&
        (['apiVersion', 'kind', 'metadata'].includes(key) || (key === 'spec' && property.default !== undefined)))
    const property_ = /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : JSON.stringify(key)
    return `  readonly ${property_}${must ? '' : '?'}: ${typeOf(property, names)}`
  })
  return `export interface ${name} {\n${lines.join('\n')}\n}\n`
}

function parseResources(tsv) {
  const [head, ...rows] = tsv
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  const list = (text) => (text ? text.split(',') : [])
  return rows.map((cells) => {
    const row = Object.fromEntries(head.map((column, i) => [column, cells[i] ?? '']))
    const subresources = (row.subresources ? row.subresources.split(' ') : []).map((text) => {
      const [, name, gvk, verbs] = /^([^:]+):(.*):([^:]+)$/.exec(text)
      const parts = gvk.split('/')
      const [group, version, kind] = parts
      return { name, group, version, kind, verbs: verbs.split('+') }
    })
    return {
      group: row.group,
      version: row.version,
      resource: row.resource,
      kind: row.kind,
      singular: row.singular,
      namespaced: row.scope === 'Namespaced',
      shortNames: list(row.shortNames),
      categories: list(row.categories),
      verbs: list(row.verbs),
      subresources,
    }
  })
}

/** The `Kind` value of a resource, with the same name as its type: `export const Pod: Kind<Pod>`. */
function kindConstant(row, definitions, names) {
  const groupPart = row.group === '' ? 'core' : row.group.split('.')[0]
  const id = Object.keys(definitions).find((key) => key.endsWith(`.${groupPart}.${row.version}.${row.kind}`))
  const name = names.get(id)
  const { group, version, kind, resource, namespaced } = row
  return `export const ${name}: Kind<${name}> = ${JSON.stringify({ group, version, kind, resource, namespaced })}\n`
}

/** Writes the three generated files below `root`. */
export function generateTypes(root) {
  const text = gunzipSync(readFileSync(`${root}/facts/schema-1.34.json.gz`)).toString('utf8')
  const definitions = JSON.parse(text)
  const names = shortNames(definitions)
  const head = '// Generated by setup/generate-types.mjs from facts/; not committed.\n'
  const types = Object.keys(definitions).map((id) => declaration(id, definitions[id], names))
  const resources = parseResources(readFileSync(`${root}/facts/api-resources.tsv`, 'utf8'))
  const kinds = resources.map((row) => kindConstant(row, definitions, names))
  const out = `${root}/src/kinds/generated`
  mkdirSync(out, { recursive: true })
  const body = [...types, ...kinds].join('\n')
  const meta = ['Json', 'JsonObject', ...Object.values(metaTypes)].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(body),
  )
  const imports = `import type { ${meta.join(', ')} } from '#objects'\nimport type { Kind } from '../kind.ts'\n\n`
  writeFileSync(`${out}/types.ts`, head + imports + body)
  writeFileSync(
    `${out}/definitions.ts`,
    `${head}export const definitionsText: string =\n  ${JSON.stringify(JSON.stringify(definitions))}\n`,
  )
  writeFileSync(
    `${out}/resources.ts`,
    `${head}import type { ResourceInfo } from '../resource-info.ts'\n\nexport const resourceTable: readonly ResourceInfo[] = ${JSON.stringify(resources, null, 1)}\n`,
  )
}

if (import.meta.url === `file://${process.argv[1]}`) generateTypes(process.cwd())
