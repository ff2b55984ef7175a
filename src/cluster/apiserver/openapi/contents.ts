// What a document tells of, before it is written in the words of either version: operations by path, and the schemas that
// they refer to.

import type { Documentation, ParameterTexts } from '#kinds'
import type { JsonObject } from '#objects'
import type { Served } from '../served.ts'
import { customSchemaName, customSchemas } from './custom.ts'
import { versionPaths } from './fixed-paths.ts'
import { type Operation, type Paths, pathsOf } from './operations.ts'
import { definitionOf, described, withReferences } from './schemas.ts'

/** What one document of OpenAPI v3 is about. */
export interface Part {
  readonly fixed: Paths
  readonly resources: readonly Served[]
}

export interface Content {
  readonly isCustom: boolean
  paths(): Iterable<readonly [path: string, operations: readonly Operation[]]>
  /** Sorted by name; to be asked for after the paths. */
  schemas(): Iterable<readonly [name: string, schema: JsonObject]>
}

const schemaName = (group: string, version: string, kind: string): string =>
  definitionOf(group, version, kind) ?? customSchemaName(group, version, kind)

/** Resource by resource, so that a document can be made in slices. */
function* pathsIn(parts: readonly Part[], texts: ParameterTexts): Generator<Paths> {
  for (const { fixed, resources } of parts) {
    yield fixed
    const [first] = resources
    if (first !== undefined) yield versionPaths(first)
    for (const served of resources) yield pathsOf(served, texts, schemaName)
  }
}

export function contentOf(parts: readonly Part[], { types, parameters }: Documentation): Content {
  const named = new Set<string>()
  const resources = parts.flatMap((part) => part.resources)
  return {
    isCustom: resources.length > 0 && resources.every(({ custom }) => custom !== undefined),
    *paths() {
      for (const paths of pathsIn(parts, parameters))
        for (const [path, operations] of Object.entries(paths)) {
          for (const { body, responses } of operations)
            for (const name of [body?.schema, ...Object.values(responses)])
              if (name !== undefined && name !== 'string') named.add(name)
          yield [path, operations]
        }
    },
    *schemas() {
      const own = new Map(resources.flatMap((served) => Object.entries(customSchemas(served))))
      for (const name of withReferences(named, own)) yield [name, own.get(name) ?? described(name, types)]
    },
  }
}
