// Parameters that stand in the ApplicationSet itself.

import { parse } from 'yaml'
import type { Json, JsonObject } from '#objects'
import { flatten, type Params } from '../template.ts'
import { GeneratorFault } from './fault.ts'
import type { Generate } from './generator.ts'

export const list: Generate = async (generator, { style }) => {
  const { elements = [], elementsYaml = '' } = generator.list ?? {}
  const all = [...elements, ...fromYaml(elementsYaml)]
  return all.map((element) => {
    if (typeof element !== 'object' || element === null || Array.isArray(element))
      throw new GeneratorFault('list: an element must be a map of parameters')
    return style.goTemplate ? (element as JsonObject) : flat(element as JsonObject)
  })
}

function flat(element: JsonObject): Params {
  const params: Record<string, Json> = {}
  for (const [name, value] of Object.entries(element)) {
    if (name === 'values' && typeof value === 'object') Object.assign(params, flatten(value, 'values'))
    else if (typeof value === 'string') params[name] = value
    else
      throw new GeneratorFault(
        `list: error parsing value as string: ${name} is ${JSON.stringify(value)}; quote it, or set goTemplate`,
      )
  }
  return params
}

function fromYaml(text: string): readonly Json[] {
  if (text === '') return []
  let value: Json
  try {
    value = parse(text, { version: '1.1' }) as Json
  } catch (error) {
    throw new GeneratorFault(`list.elementsYaml: ${(error as Error).message.split('\n')[0]}`)
  }
  if (Array.isArray(value)) return value
  throw new GeneratorFault('list.elementsYaml must be a list')
}
