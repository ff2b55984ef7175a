// A directory of plain manifests: reads the files that are chosen, each once by its id, within the limits.

import { type Listing, messageOf, RecentMap, type Snapshot, SourceError, type SourceFile } from '#gitops/source'
import type { World } from '#world'
import { type DirectoryOptions, type RenderProblem, selectFiles } from './directory.ts'
import { type FileContent, readManifestFile } from './manifest-file.ts'
import { type Content, faulty, type Plan } from './plan.ts'
import type { RenderedObject } from './renderer.ts'

/** All manifest files of one application together; Argo CD's limit. */
const maxManifestBytes = 10 * 1024 * 1024
const keptFileBytes = 64 * 1024 * 1024
/** After so much parsed text the loop lets others run. */
const bytesPerTurn = 64 * 1024

/** What files say, by their ids. */
export interface KeptFiles {
  readonly world: World
  readonly files: RecentMap<KeptFile>
}

interface KeptFile {
  readonly content: FileContent
  readonly bytes: number
}

export const newKeptFiles = (world: World): KeptFiles => ({ world, files: new RecentMap<KeptFile>(keptFileBytes) })

export interface DirectoryInput {
  readonly snapshot: Snapshot
  readonly path: string
  readonly listing: Listing
  readonly options: DirectoryOptions
}

export function planDirectory(kept: KeptFiles, input: DirectoryInput): Plan {
  const selected = selectFiles(input.listing.files, input.options)
  if (selected.problems.length > 0) return faulty(...selected.problems)
  const chosen = selected.files
  return {
    type: 'ready',
    key: chosen.map((file) => `${file.id} ${file.path}`).join('\n'),
    run: () => renderFiles(kept, { ...input, chosen }),
  }
}

async function renderFiles(
  kept: KeptFiles,
  work: DirectoryInput & { readonly chosen: readonly SourceFile[] },
): Promise<Content> {
  const objects: RenderedObject[] = []
  const problems: RenderProblem[] = []
  const budget: Budget = { totalBytes: 0, sinceTurn: 0 }
  for (const file of work.chosen) {
    const content = await readFile(kept, { snapshot: work.snapshot, path: work.path, file, budget })
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

async function readFile(kept: KeptFiles, work: FileWork): Promise<FileContent | RenderProblem> {
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
