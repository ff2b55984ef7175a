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

/**
 * `path` is the Application's. `variables` are only asked for where a value stands for something. A file of the repository may
 * say other things of the source than the Application's schema allows: what makes no sense counts as not said.
 */
export function jsonnetOptions(
  source: ApplicationSource,
  path: string,
  variables: () => Readonly<Record<string, string>>,
): JsonnetOptions | RenderProblem {
  const { extVars, tlas, libs } = source.directory?.jsonnet ?? {}
  const libraries = [resolveReference('', path) ?? '']
  for (const lib of listOf(libs).map(String)) {
    const folder = resolveReference('', lib)
    if (folder === undefined) return { message: `directory.jsonnet.libs: ${lib} leaves the repository` }
    libraries.push(folder)
  }
  const given = (list: readonly JsonnetVariable[] | undefined): readonly Variable[] =>
    listOf(list).map(({ name, value, code }) => {
      const text = String(value ?? '')
      return {
        name: String(name),
        value: text.includes('$') ? substitute(text, variables()) : text,
        isCode: code === true,
      }
    })
  return { extVars: given(extVars), tlas: given(tlas), libraries }
}

const listOf = <Item>(value: readonly Item[] | undefined): readonly Item[] =>
  Array.isArray(value) ? value.filter((item) => item !== null && item !== undefined) : []
