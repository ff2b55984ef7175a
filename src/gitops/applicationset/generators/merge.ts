// The parameters of a first generator, with those of others over them where the merge keys are the same.

import type { Json } from '#objects'
import { merged } from '../merged.ts'
import type { Params } from '../template.ts'
import { GeneratorFault } from './fault.ts'
import type { Generate } from './generator.ts'

export const merge: Generate = async (generator, { style }, inner) => {
  const { generators = [], mergeKeys = [] } = generator.merge ?? {}
  if (generators.length < 2)
    throw new GeneratorFault('merge: found less than two generators, Merge requires two or more')
  if (mergeKeys.length === 0)
    throw new GeneratorFault('merge: no merge keys were specified, Merge requires at least one')
  const [base, ...others] = await Promise.all(generators.map((each) => inner(each, {})))
  let result = byKeys(base ?? [], mergeKeys, true)
  for (const other of others) {
    const over = byKeys(other, mergeKeys, false)
    result = new Map(
      [...result].map(([key, params]): [string, Params] => {
        const more = over.get(key)
        if (more === undefined) return [key, params]
        return [key, style.goTemplate ? merged(params, more) : { ...params, ...more }]
      }),
    )
  }
  return [...result.values()]
}

function byKeys(all: readonly Params[], keys: readonly string[], isBase: boolean): Map<string, Params> {
  const sets = new Map<string, Params>()
  for (const params of all) {
    const values = keys.map((key) => valueAt(params, key))
    // What others have and the first has not is left out; in the first a missing key is a value like another.
    if (!isBase && values.some((value) => value === undefined)) continue
    const id = JSON.stringify(values.map((value) => value ?? null))
    if (sets.has(id))
      throw new GeneratorFault(
        `merge: the parameters from a generator were not unique by the given mergeKeys, Merge requires all param sets to be unique. Duplicate key was ${id}`,
      )
    sets.set(id, params)
  }
  return sets
}

/** `values.env`: flat, or nested. */
function valueAt(params: Params, key: string): Json | undefined {
  if (Object.hasOwn(params, key)) return params[key]
  let value: Json | undefined = params
  for (const step of key.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = (value as Params)[step]
  }
  return value
}
