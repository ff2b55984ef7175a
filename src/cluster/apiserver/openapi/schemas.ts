// Component schemas of an OpenAPI document: the definitions of facts/ that a group version needs, with all that they
// refer to, and with descriptions.

import { type Descriptions, definitionsText } from '#kinds'
import type { JsonObject } from '#objects'

export type Definition = JsonObject & {
  readonly properties?: Readonly<Record<string, JsonObject>>
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string
    readonly version: string
    readonly kind: string
  }[]
}

let parsed: Readonly<Record<string, Definition>> | undefined
let byKind: ReadonlyMap<string, string> | undefined

export function definitions(): Readonly<Record<string, Definition>> {
  parsed ??= JSON.parse(definitionsText) as Readonly<Record<string, Definition>>
  return parsed
}

/** The definition's name of a built-in kind. */
export function definitionOf(group: string, version: string, kind: string): string | undefined {
  byKind ??= new Map(
    Object.entries(definitions()).flatMap(([id, definition]) =>
      (definition['x-kubernetes-group-version-kind'] ?? []).map(
        (gvk) => [`${gvk.group}/${gvk.version}/${gvk.kind}`, id] as const,
      ),
    ),
  )
  return byKind.get(`${group}/${version}/${kind}`)
}

const refPattern = /"#\/components\/schemas\/([^"]+)"/g
const references = new Map<string, readonly string[]>()

function referencesOf(id: string): readonly string[] {
  let found = references.get(id)
  if (found === undefined) {
    const definition = definitions()[id]
    found =
      definition === undefined ? [] : [...JSON.stringify(definition).matchAll(refPattern)].map(([, ref = '']) => ref)
    references.set(id, found)
  }
  return found
}

/** What custom kinds refer to, beside each other. */
const customReferences = ['ObjectMeta', 'ListMeta'].map((name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`)

/** `roots` and everything that they refer to, sorted by name; `own` are those of custom kinds. */
export function withReferences(roots: Iterable<string>, own: ReadonlyMap<string, object>): readonly string[] {
  const found = new Set<string>()
  const visit = (id: string): void => {
    if (found.has(id) || (!own.has(id) && definitions()[id] === undefined)) return
    found.add(id)
    for (const next of own.has(id) ? customReferences : referencesOf(id)) visit(next)
  }
  for (const root of roots) visit(root)
  return [...found].sort()
}

const metadataText =
  "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

/** A definition with the texts of its type and fields. Clients tell of a field's type themselves. */
export function described(id: string, descriptions: Descriptions): JsonObject {
  const definition = definitions()[id]
  if (definition === undefined) return {}
  const [about, fields] = descriptions[id] ?? ['', {}]
  const properties =
    definition.properties === undefined
      ? undefined
      : Object.entries(definition.properties).map(([name, property]) => {
          const text = fields[name] ?? (name === 'metadata' ? metadataText : undefined)
          return [name, text === undefined || text === '' ? property : { description: text, ...property }] as const
        })
  return {
    ...(about === '' ? {} : { description: about }),
    ...definition,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(properties) }),
  }
}
