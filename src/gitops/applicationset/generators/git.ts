// The folders or files of a repository: a set of parameters for each folder that matches, or for each map in a file.

import { parse } from 'yaml'
import { normalize } from '#gitops/gotemplate'
import { compilePathPattern, PatternFault, type Snapshot, type SourceFile } from '#gitops/source'
import type { Generator, GitGenerator } from '#kinds'
import type { Json, JsonObject } from '#objects'
import { flatten, type Params, type TemplateStyle, withValues } from '../template.ts'
import { GeneratorFault } from './fault.ts'
import type { Generate } from './generator.ts'

export const git: Generate = async (generator, context) => {
  const wanted = generator.git as GitGenerator
  const repository = await context.repository(wanted.repoURL)
  const { ready, trouble } = repository.state
  if (!ready) throw new GeneratorFault(`git: ${trouble?.message ?? ''}`)
  const snapshot = await repository.snapshot(wanted.revision ?? '')
  const { files } = await snapshot.list('.', { recurse: true })
  if ((wanted.directories ?? []).length > 0) return directories(wanted, files, context.style)
  if ((wanted.files ?? []).length > 0) return contents({ wanted, files, snapshot }, context.style)
  throw new GeneratorFault('git: one of directories and files is required')
}

function chosen(rules: NonNullable<GitGenerator['files']>): (path: string) => boolean {
  const compile = (wantsExcluded: boolean) =>
    rules.filter((rule) => (rule.exclude === true) === wantsExcluded).map((rule) => compilePathPattern(rule.path))
  try {
    const [included, excluded] = [compile(false), compile(true)]
    return (path) => included.some((matches) => matches(path)) && !excluded.some((matches) => matches(path))
  } catch (error) {
    if (error instanceof PatternFault) throw new GeneratorFault(`git: ${error.message}`)
    throw error
  }
}

function directories(wanted: GitGenerator, files: readonly SourceFile[], style: TemplateStyle): readonly Params[] {
  const folders = new Set<string>()
  for (const { path } of files) {
    const steps = path.split('/').slice(0, -1)
    const hidden = steps.findIndex((step) => step.startsWith('.'))
    const visible = hidden < 0 ? steps : steps.slice(0, hidden)
    for (let length = 1; length <= visible.length; length++) folders.add(visible.slice(0, length).join('/'))
  }
  const isChosen = chosen(wanted.directories ?? [])
  return [...folders]
    .filter(isChosen)
    .sort()
    .map((folder) => withValues(pathParams(wanted, { folder }, style), wanted.values, style))
}

interface Contents {
  readonly wanted: GitGenerator
  readonly files: readonly SourceFile[]
  readonly snapshot: Snapshot
}

async function contents({ wanted, files, snapshot }: Contents, style: TemplateStyle): Promise<readonly Params[]> {
  const isChosen = chosen(wanted.files ?? [])
  const matching = files.filter(({ path }) => isChosen(path)).sort((a, b) => (a.path < b.path ? -1 : 1))
  const all: Params[] = []
  for (const file of matching) {
    const at = file.path.lastIndexOf('/')
    const place = { folder: at < 0 ? '.' : file.path.slice(0, at), file: file.path.slice(at + 1) }
    for (const content of mapsIn(file.path, Buffer.from(await snapshot.read('.', file)).toString('utf8'))) {
      const own = style.goTemplate ? content : flatten(content)
      all.push(withValues({ ...own, ...pathParams(wanted, place, style) }, wanted.values, style))
    }
  }
  return all
}

function mapsIn(path: string, text: string): readonly JsonObject[] {
  let value: Json
  try {
    value = parse(text, { version: '1.1' }) as Json
  } catch (error) {
    throw new GeneratorFault(`git: unable to parse file ${path}: ${(error as Error).message.split('\n')[0]}`)
  }
  if (value === null) return []
  const all = Array.isArray(value) ? value : [value]
  return all.map((each) => {
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) return each as JsonObject
    throw new GeneratorFault(`git: ${path}: a map, or a list of maps, is expected`)
  })
}

interface Place {
  readonly folder: string
  readonly file?: string
}

function pathParams(
  { pathParamPrefix = '' }: GitGenerator,
  { folder, file }: Place,
  { goTemplate }: TemplateStyle,
): Params {
  const segments = folder.split('/')
  const basename = segments.at(-1) ?? ''
  const names = {
    basename,
    basenameNormalized: normalize(basename),
    ...(file === undefined ? {} : { filename: file, filenameNormalized: normalize(file) }),
  }
  if (goTemplate) {
    const path = { path: folder, segments, ...names }
    return pathParamPrefix === '' ? { path } : { [pathParamPrefix]: { path } }
  }
  const prefix = pathParamPrefix === '' ? 'path' : `${pathParamPrefix}.path`
  const flat: Record<string, Json> = { [prefix]: folder }
  for (const [name, value] of Object.entries(names)) flat[`${prefix}.${name}`] = value
  for (const [index, segment] of segments.entries()) if (segment !== '') flat[`${prefix}[${index}]`] = segment
  return flat
}

/** Every repository that a generator, or one inside of it, reads. */
export function repositoriesOf(generators: readonly Generator[]): readonly string[] {
  return generators.flatMap((generator) => [
    ...(generator.git === undefined ? [] : [generator.git.repoURL]),
    ...repositoriesOf(generator.matrix?.generators ?? []),
    ...repositoriesOf(generator.merge?.generators ?? []),
  ])
}
