// The generators, by the field that asks for them. A new one: a file and a line.

import type { Generator } from '#kinds'
import { type Json, matchesLabels } from '#objects'
import { fill, flatten, type Params } from '../template.ts'
import { clusters } from './clusters.ts'
import { GeneratorFault } from './fault.ts'
import type { Generate, GeneratorContext } from './generator.ts'
import { git } from './git.ts'
import { list } from './list.ts'
import { matrix } from './matrix.ts'
import { merge } from './merge.ts'
import { plugin } from './plugin.ts'
import { pullRequest } from './pull-request.ts'
import { scmProvider } from './scm-provider.ts'

const generators: Readonly<Record<string, Generate>> = {
  list,
  clusters,
  git,
  matrix,
  merge,
  pullRequest,
  scmProvider,
  plugin,
}
const known = Object.keys(generators)
const maxDepth = 5
const maxSets = 20_000

/** The parameters of one generator, filtered by its selector. Throws GeneratorFault, NotReady, SourceError, TemplateFault. */
export function generate(generator: Generator, context: GeneratorContext): Promise<readonly Params[]> {
  return generateAt(generator, context, 0)
}

async function generateAt(generator: Generator, context: GeneratorContext, depth: number): Promise<readonly Params[]> {
  if (depth > maxDepth) throw new GeneratorFault('generators are nested too deeply')
  const { selector, ...rest } = generator
  const [field, more] = Object.keys(rest).filter((name) => rest[name] !== undefined && rest[name] !== null)
  if (field === undefined || more !== undefined)
    throw new GeneratorFault(`a generator is exactly one of ${known.join(', ')}`)
  const work = Object.hasOwn(generators, field) ? generators[field] : undefined
  if (work === undefined) throw new GeneratorFault(`the generator ${field} is not supported (${known.join(', ')} are)`)
  const all = await work(generator, context, (inner, params) => {
    const filled = Object.keys(params).length === 0 ? inner : fill(inner as unknown as Json, params, context.style)
    return generateAt(filled as unknown as Generator, context, depth + 1)
  })
  if (all.length > maxSets) throw new GeneratorFault(`more than ${maxSets} sets of parameters`)
  if (selector === undefined || selector === null) return all
  return all.filter((params) => matchesLabels(selector, flatten(params) as Readonly<Record<string, string>>))
}
