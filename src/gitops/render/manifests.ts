// A directory of plain manifests: reads the files that are chosen, each once by its id, within the limits.

import { type Listing, messageOf, RecentMap, type Snapshot, SourceError, type SourceFile } from '#gitops/source'
import { ToolFault } from '#gitops/tools'
import type { World } from '#world'
import { type DirectoryOptions, type RenderProblem, selectFiles } from './directory.ts'
import type { JsonnetOptions } from './jsonnet/options.ts'
import { createJsonnetRenderer, type JsonnetPlan, type JsonnetRenderer } from './jsonnet/render.ts'
import { type FileContent, readManifestFile } from './manifest-file.ts'
import type { RenderedObject } from './plan.ts'
import { type Content, faulty, type Plan } from './plan.ts'
import { join, resolveReference, Tree } from './tree.ts'

/** All manifest files of one application together; Argo CD's limit. */
const maxManifestBytes = 10 * 1024 * 1024
const keptFileBytes = 64 * 1024 * 1024
/** After so much parsed text the loop lets others run. */
const bytesPerTurn = 64 * 1024

/** What files say, by their ids. */
export interface KeptFiles {
  readonly world: World
  readonly files: RecentMap<KeptFile>
  readonly jsonnet: JsonnetRenderer
}

interface KeptFile {
  readonly content: FileContent
  readonly bytes: number
}

export const newKeptFiles = (world: World): KeptFiles => ({
  world,
  files: new RecentMap<KeptFile>(keptFileBytes),
  jsonnet: createJsonnetRenderer(world),
})

export interface DirectoryInput {
  readonly snapshot: Snapshot
  readonly path: string
  readonly listing: Listing
  readonly options: DirectoryOptions
  /** Asked for where there are Jsonnet files. */
  readonly jsonnet: (revision: string) => JsonnetOptions | RenderProblem
}

export const isJsonnet = (path: string): boolean => path.endsWith('.jsonnet')

/** Jsonnet files by their paths: what they are going to read decides what they give. */
type JsonnetPlans = ReadonlyMap<string, JsonnetPlan | RenderProblem>

export async function planDirectory(kept: KeptFiles, input: DirectoryInput): Promise<Plan> {
  const selected = selectFiles(input.listing.files, input.options)
  if (selected.problems.length > 0) return faulty(...selected.problems)
  const chosen = selected.files
  const plans = await planJsonnet(kept, input, chosen)
  const key = (file: SourceFile): string => {
    const plan = plans.get(file.path)
    return plan === undefined ? file.id : 'message' in plan ? `${file.id} ${plan.message}` : plan.key
  }
  return {
    type: 'ready',
    key: chosen.map((file) => `${key(file)} ${file.path}`).join('\n'),
    run: () => renderFiles(kept, { ...input, chosen, plans }),
  }
}

async function planJsonnet(
  kept: KeptFiles,
  { snapshot, path, jsonnet }: DirectoryInput,
  chosen: readonly SourceFile[],
): Promise<JsonnetPlans> {
  const plans = new Map<string, JsonnetPlan | RenderProblem>()
  const files = chosen.filter((file) => isJsonnet(file.path) && file.problem === undefined)
  if (files.length === 0) return plans
  const tree = new Tree(snapshot)
  const folder = resolveReference('', path) ?? ''
  await tree.folder(folder)
  const options = jsonnet(tree.revision)
  for (const file of files) {
    const plan =
      'message' in options ? options : await kept.jsonnet.plan({ tree, path: join(folder, file.path), options })
    plans.set(file.path, plan)
  }
  return plans
}

async function renderFiles(
  kept: KeptFiles,
  work: DirectoryInput & { readonly chosen: readonly SourceFile[]; readonly plans: JsonnetPlans },
): Promise<Content> {
  const objects: RenderedObject[] = []
  const problems: RenderProblem[] = []
  const budget: Budget = { totalBytes: 0, sinceTurn: 0, isPassing: false }
  for (const file of work.chosen) {
    const plan = work.plans.get(file.path)
    const content =
      plan === undefined
        ? await readFile(kept, { snapshot: work.snapshot, path: work.path, file, budget })
        : await readJsonnet(kept, plan, budget)
    if ('message' in content) {
      problems.push({ file: file.path, ...content })
      continue
    }
    for (const each of content.objects) objects.push({ ...each, file: file.path })
    for (const each of content.problems) problems.push({ ...each, file: file.path })
    if (budget.totalBytes > maxManifestBytes) {
      return {
        objects: [],
        problems: [{ message: `exceeded max combined manifest file size: more than ${maxManifestBytes} bytes` }],
      }
    }
  }
  return { objects, problems, ...(budget.isPassing ? { isPassing: true } : {}) }
}

interface Budget {
  totalBytes: number
  sinceTurn: number
  /** A program was stopped that may go well the next time. */
  isPassing: boolean
}

interface FileWork {
  readonly snapshot: Snapshot
  readonly path: string
  readonly file: SourceFile
  readonly budget: Budget
}

async function readFile(kept: KeptFiles, work: FileWork): Promise<FileContent | RenderProblem> {
  const { file, budget } = work
  if (file.problem !== undefined) return { file: file.path, message: file.problem }
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  const key = name.endsWith('.json') ? `${file.id} ${name}` : file.id
  const known = kept.files.get(key)
  budget.totalBytes += known?.bytes ?? 0
  if (known !== undefined) return known.content
  try {
    const bytes = await work.snapshot.read(work.path, file)
    budget.totalBytes += bytes.length
    budget.sinceTurn += bytes.length
    if (budget.sinceTurn > bytesPerTurn) {
      budget.sinceTurn = 0
      await kept.world.clock.turn('render')
    }
    const content = readManifestFile(name, bytes)
    kept.files.set(key, { content, bytes: bytes.length }, bytes.length + 100)
    return content
  } catch (error) {
    if (error instanceof SourceError) return { file: file.path, message: messageOf(error) }
    throw error
  }
}

async function readJsonnet(
  kept: KeptFiles,
  plan: JsonnetPlan | RenderProblem,
  budget: Budget,
): Promise<FileContent | RenderProblem> {
  if ('message' in plan) return plan
  const known = kept.files.get(plan.key)
  budget.totalBytes += known?.bytes ?? 0
  if (known !== undefined) return known.content
  try {
    const { bytes, ...content } = await plan.run()
    budget.totalBytes += bytes
    kept.files.set(plan.key, { content, bytes }, bytes + 100)
    return content
  } catch (error) {
    if (!(error instanceof SourceError || error instanceof RangeError || error instanceof ToolFault)) throw error
    if (!(error instanceof ToolFault)) return { message: messageOf(error) }
    budget.isPassing ||= error.reason === 'stopped'
    const content = { objects: [], problems: [{ line: 1, column: 1, message: error.message }] }
    if (error.reason === 'refused') kept.files.set(plan.key, { content, bytes: 0 }, 100)
    return content
  }
}
