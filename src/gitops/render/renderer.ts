// From a path of a snapshot to the objects that it describes. Depends on nothing but the contents of the files read, so
// results are kept by their ids: a commit that leaves a directory alone, or a second application of the same directory,
// costs one look-up and gets the same object references.

import { type Listing, messageOf, RecentMap, type Snapshot, SourceError, type SourceFile } from '#gitops/source'
import type { AnyObject } from '#objects'
import type { World } from '#world'
import { type DirectoryOptions, otherSourceType, type RenderProblem, selectFiles } from './directory.ts'
import { type FileContent, readManifestFile } from './manifest-file.ts'

export interface RenderRequest {
  readonly snapshot: Snapshot
  readonly path: string
  readonly directory: DirectoryOptions
  /** The application says that it is a directory: Chart.yaml and kustomizations are not looked for. */
  readonly explicit: boolean
}

export interface RenderedObject {
  readonly object: AnyObject
  readonly file: string
  readonly line: number
}

export interface Rendered {
  /** The commit, or what stands for one. */
  readonly revision: string
  readonly objects: readonly RenderedObject[]
  /** Faults; the objects are what could be read in spite of them. */
  readonly problems: readonly RenderProblem[]
}

type Content = Omit<Rendered, 'revision'>

export interface Renderer {
  /** Throws SourceError when the path cannot be listed at all. */
  render(request: RenderRequest): Promise<Rendered>
}

/** All manifest files of one application together; Argo CD's limit. */
const maxManifestBytes = 10 * 1024 * 1024
const keptFileBytes = 64 * 1024 * 1024
const keptResults = 200_000
/** After so much parsed text the loop lets others run. */
const bytesPerTurn = 64 * 1024

export function createRenderer(world: World): Renderer {
  const files = new RecentMap<KeptFile>(keptFileBytes)
  const results = new RecentMap<Content>(keptResults)
  const byListing = new WeakMap<readonly SourceFile[], Map<string, Content>>()

  return {
    async render(request) {
      const listing = await request.snapshot.list(request.path, { recurse: request.directory.recurse })
      const { directory, explicit } = request
      const options = `${explicit}\0${directory.recurse}\0${directory.include}\0${directory.exclude}`
      const known = byListing.get(listing.files) ?? new Map<string, Content>()
      byListing.set(listing.files, known)
      const content = known.get(options) ?? (await renderListing({ world, files, results }, { request, listing }))
      known.set(options, content)
      return { revision: listing.revision, ...content }
    },
  }
}

interface KeptFile {
  readonly content: FileContent
  readonly bytes: number
}

interface Kept {
  readonly world: World
  readonly files: RecentMap<KeptFile>
  readonly results: RecentMap<Content>
}

async function renderListing(
  kept: Kept,
  work: { readonly request: RenderRequest; readonly listing: Listing },
): Promise<Content> {
  const { request, listing } = work
  const other = request.explicit ? undefined : otherSourceType(listing.files)
  if (other !== undefined) return { objects: [], problems: [other] }
  const selected = selectFiles(listing.files, request.directory)
  if (selected.problems.length > 0) return { objects: [], problems: selected.problems }
  const key = selected.files.map((file) => `${file.id} ${file.path}`).join('\n')
  const known = kept.results.get(key)
  if (known !== undefined) return known
  const content = await renderFiles(kept, { request, files: selected.files })
  kept.results.set(key, content, content.objects.length + 1)
  return content
}

async function renderFiles(
  kept: Kept,
  work: { readonly request: RenderRequest; readonly files: readonly SourceFile[] },
): Promise<Content> {
  const objects: RenderedObject[] = []
  const problems: RenderProblem[] = []
  const budget: Budget = { totalBytes: 0, sinceTurn: 0 }
  for (const file of work.files) {
    const content = await readFile(kept, { snapshot: work.request.snapshot, path: work.request.path, file, budget })
    if ('message' in content) {
      problems.push(content)
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
  return { objects, problems }
}

interface Budget {
  totalBytes: number
  sinceTurn: number
}

interface FileWork {
  readonly snapshot: Snapshot
  readonly path: string
  readonly file: SourceFile
  readonly budget: Budget
}

async function readFile(kept: Kept, work: FileWork): Promise<FileContent | RenderProblem> {
  const { file, budget } = work
  if (file.problem !== undefined) return { file: file.path, message: file.problem }
  if (file.path.endsWith('.jsonnet')) return { file: file.path, message: 'Jsonnet is not supported' }
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
