// What an Application says of its Jsonnet: variables, arguments and library folders.

import type { Variable } from '#gitops/jsonnet'
import type { ApplicationSource, JsonnetVariable } from '#kinds'
import { substitute } from '../build-environment.ts'
import type { RenderProblem } from '../directory.ts'
import { resolveReference } from '../tree.ts'

export interface JsonnetOptions {
  readonly extVars: readonly Variable[]
  readonly tlas: readonly Variable[]
  /** Folders from the root; the last is looked at first. */
  readonly libraries: readonly string[]
}

/** `path` is the Application's. `variables` are only asked for where a value stands for something. */
export function jsonnetOptions(
  source: ApplicationSource,
  path: string,
  variables: () => Readonly<Record<string, string>>,
): JsonnetOptions | RenderProblem {
  const { extVars = [], tlas = [], libs = [] } = source.directory?.jsonnet ?? {}
  const libraries = [resolveReference('', path) ?? '']
  for (const lib of libs) {
    const folder = resolveReference('', lib)
    if (folder === undefined) return { message: `directory.jsonnet.libs: ${lib} leaves the repository` }
    libraries.push(folder)
  }
  const given = ({ name, value = '', code = false }: JsonnetVariable): Variable => ({
    name,
    value: value.includes('$') ? substitute(value, variables()) : value,
    isCode: code,
  })
  return { extVars: extVars.map(given), tlas: tlas.map(given), libraries }
}
