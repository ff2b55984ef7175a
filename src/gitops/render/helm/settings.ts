// What can be set of a chart: its values files, what values.yaml says, and every value by its path.

import type { HelmSource } from '#kinds'
import { isJsonMap, type Json } from '#objects'
import { join } from '../tree.ts'
import { readYamlMap } from '../yaml-map.ts'
import { decodeText } from '../yaml-stream.ts'
import { findValueFile, type Trees } from './value-files.ts'

export interface ChartSettings {
  /** Relative to the path. */
  readonly valueFiles: readonly string[]
  /** The text of values.yaml. */
  readonly values: string
  /** With the source's values files over it. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[]
}

const maxParameters = 20_000

export async function chartSettings(trees: Trees, { valueFiles = [] }: HelmSource): Promise<ChartSettings> {
  const { tree, path } = trees
  const below = (await tree.below(path)) ?? []
  const relative = below.map((file) => (path === '' ? file.path : file.path.slice(path.length + 1)))
  const own = await tree.file(join(path, 'values.yaml'))
  const parameters = new Map<string, string>()
  const take = async (file: Parameters<typeof readYamlMap>[0]): Promise<void> => {
    for (const [name, value] of flat(await readYamlMap(file), '')) {
      if (parameters.size >= maxParameters && !parameters.has(name)) return
      parameters.set(name, value)
    }
  }
  await take(own)
  for (const text of valueFiles) {
    const answer = await findValueFile(trees, text, 'helm.valueFiles')
    if ('found' in answer) for (const { file } of answer.found) await take(file)
  }
  return {
    valueFiles: relative.filter((name) => /values[^/]*\.ya?ml$/i.test(name)),
    values: own === undefined || own.problem !== undefined ? '' : decodeText(await own.read()),
    parameters: [...parameters].map(([name, value]) => ({ name, value })),
  }
}

/** `image.tag`, `list[0].name`, as `helm --set` takes them. */
function* flat(value: Json | undefined, path: string): Generator<readonly [string, string]> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* flat(item, `${path}[${index}]`)
  else if (isJsonMap(value))
    for (const [key, item] of Object.entries(value)) yield* flat(item, path === '' ? key : `${path}.${key}`)
  else if (value !== undefined) yield [path, value === null ? '' : String(value)]
}
