// Which files a kustomization reads: those it names, and those that the kustomizations it names name. Any text in it that is
// the path of a file or folder counts, whatever the field: one file too many costs a copy, one too few breaks the build.

import { isJsonMap, type Json, type JsonObject } from '#objects'
import type { RenderProblem } from '../directory.ts'
import { join, resolveReference, type Tree, type TreeFile } from '../tree.ts'
import { readYamlMap } from '../yaml-map.ts'

export const kustomizationNames: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

export interface References {
  /** By path from the root. */
  readonly files: ReadonlyMap<string, TreeFile>
  /** A chart is inflated somewhere. */
  readonly usesHelm: boolean
  readonly problems: readonly RenderProblem[]
}

interface Walk {
  readonly tree: Tree
  readonly files: Map<string, TreeFile>
  readonly visited: Set<string>
  readonly problems: RenderProblem[]
  /** Remote bases and files may be loaded. */
  readonly network: boolean
  usesHelm: boolean
}

const maxFiles = 20_000

/** Follows the kustomization in `folder`, and `more` references that are added to it. */
export async function findReferences(
  tree: Tree,
  folder: string,
  options: { readonly network: boolean; readonly more: readonly string[] },
): Promise<References> {
  const walk: Walk = {
    tree,
    files: new Map(),
    visited: new Set(),
    problems: [],
    network: options.network,
    usesHelm: false,
  }
  await visit(walk, folder)
  for (const reference of options.more) await follow(walk, { folder, text: reference, field: 'components' })
  return { files: walk.files, usesHelm: walk.usesHelm, problems: walk.problems }
}

async function visit(walk: Walk, folder: string): Promise<void> {
  if (walk.visited.has(folder) || walk.files.size > maxFiles) return
  walk.visited.add(folder)
  const entries = await walk.tree.folder(folder)
  for (const name of kustomizationNames) {
    const file = entries?.get(name)
    if (file === undefined) continue
    walk.files.set(file.path, file)
    const content = await readYamlMap(file)
    if (content !== undefined) await followAll(walk, folder, content)
  }
}

async function followAll(walk: Walk, folder: string, content: JsonObject): Promise<void> {
  for (const [field, value] of Object.entries(content)) {
    for (const text of textsOf(value)) await follow(walk, { folder, text, field })
  }
  const globals = content['helmGlobals']
  const home = isJsonMap(globals) && typeof globals['chartHome'] === 'string' ? globals['chartHome'] : 'charts'
  if (content['helmCharts'] !== undefined || content['helmChartInflationGenerator'] !== undefined) {
    walk.usesHelm = true
    await takeBelow(walk, resolveReference(folder, home))
  }
}

interface Reference {
  readonly folder: string
  readonly text: string
  /** Of the kustomization: what the text is part of. */
  readonly field: string
}

const fieldsOfConfigurations: ReadonlySet<string> = new Set(['generators', 'transformers', 'validators'])
const fieldsOfResources: ReadonlySet<string> = new Set(['resources', 'bases', 'components'])

async function follow(walk: Walk, reference: Reference): Promise<void> {
  const { folder, text, field } = reference
  const path = resolveReference(folder, text)
  if (path === undefined) return
  const file = await walk.tree.file(path)
  if (file !== undefined) {
    await takeFile(walk, reference, file)
  } else if ((await walk.tree.folder(path)) !== undefined) {
    await takeFolder(walk, path)
  } else if (!walk.network && fieldsOfResources.has(field) && isRemote(text)) {
    walk.problems.push({
      file: join(folder, 'kustomization.yaml'),
      message: `${field}: ${text} is remote, and nothing is fetched while manifests are rendered: copy it into the repository, or start with --render-network`,
    })
  }
}

async function takeFile(walk: Walk, { folder, field }: Reference, file: TreeFile): Promise<void> {
  if (file.problem !== undefined) walk.problems.push({ file: file.path, message: file.problem })
  else if (!walk.files.has(file.path)) {
    walk.files.set(file.path, file)
    if (!fieldsOfConfigurations.has(field)) return
    // The configuration of a generator names files too, relative to the kustomization.
    const content = await readYamlMap(file)
    if (content === undefined) return
    if (content['kind'] === 'HelmChartInflationGenerator') walk.usesHelm = true
    await followAll(walk, folder, content)
  }
}

async function takeFolder(walk: Walk, path: string): Promise<void> {
  const entries = await walk.tree.folder(path)
  if (entries === undefined) return
  if (kustomizationNames.some((name) => entries.has(name))) await visit(walk, path)
  else if (entries.has('Chart.yaml')) await takeBelow(walk, path)
}

async function takeBelow(walk: Walk, path: string | undefined): Promise<void> {
  if (path === undefined || path === '') return
  for (const file of (await walk.tree.below(path)) ?? []) {
    if (walk.files.size > maxFiles) return
    if (file.problem === undefined) walk.files.set(file.path, file)
  }
}

/** What kustomize takes for the address of a repository or file elsewhere. */
const isRemote = (text: string): boolean =>
  /^[a-z+]+:\/\//i.test(text) ||
  /^[\w.-]+@[\w.-]+:/.test(text) ||
  /^(github|gitlab)\.com\//i.test(text) ||
  /[?&]ref=/.test(text)

const maxReferenceLength = 1024

/** Texts that may be references: every scalar, and what follows `=` (as in `files: [key=path]`). */
function* textsOf(value: Json): Generator<string> {
  if (typeof value === 'string') {
    if (value === '' || value.length > maxReferenceLength || value.includes('\n')) return
    yield value
    const at = value.indexOf('=')
    if (at > 0 && at < value.length - 1) yield value.slice(at + 1)
  } else if (Array.isArray(value)) {
    for (const item of value) yield* textsOf(item)
  } else if (isJsonMap(value)) {
    for (const item of Object.values(value)) yield* textsOf(item)
  }
}
