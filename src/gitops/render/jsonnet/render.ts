// Jsonnet files of a directory: what they read is found first, so that what they give is kept by it.

import { createHash } from 'node:crypto'
import { messageOf, SourceError } from '#gitops/source'
import { ToolFault } from '#gitops/tools'
import type { Json } from '#objects'
import type { World } from '#world'
import type { RenderProblem } from '../directory.ts'
import { isPointer, pointerMessage } from '../lfs-pointer.ts'
import { type FileContent, readManifestValue } from '../manifest-file.ts'
import { planKey } from '../plan.ts'
import type { Tree } from '../tree.ts'
import { createJsonnet, type Jsonnet } from './engine.ts'
import type { JsonnetOptions } from './options.ts'
import { type Found, findProgram, KnownImports } from './program.ts'
import type { Fault, ProgramFiles } from './question.ts'

export interface JsonnetPlan {
  /** Equal keys give equal results. */
  readonly key: string
  run(): Promise<JsonnetContent>
}

/** Places are those of the file itself, relative to nothing. */
export interface JsonnetContent extends FileContent {
  readonly bytes: number
}

export interface JsonnetInput {
  readonly tree: Tree
  /** From the root. */
  readonly path: string
  readonly options: JsonnetOptions
}

export interface JsonnetRenderer {
  plan(input: JsonnetInput): Promise<JsonnetPlan | RenderProblem>
}

const maxProgramBytes = 64 * 1024 * 1024

export function createJsonnetRenderer(world: World): JsonnetRenderer {
  const jsonnet = createJsonnet(world)
  const known = new KnownImports(jsonnet)

  /** Code from outside imports too, from the library folders. */
  const importsOutside = async ({ extVars, tlas }: JsonnetOptions) => {
    const codes = [...extVars, ...tlas].filter(({ isCode, value }) => isCode && value.includes('import'))
    if (codes.length === 0) return []
    return (await jsonnet.imports(codes.map(({ name, value }) => ({ path: name, bytes: Buffer.from(value) })))).flat()
  }

  return {
    async plan({ tree, path, options }) {
      const main = await tree.file(path)
      if (main === undefined) return { message: 'the file is not there any more' }
      try {
        const found = await findProgram(
          { tree, libraries: options.libraries, known },
          main,
          await importsOutside(options),
        )
        return { key: keyOf(found, options), run: () => run({ world, jsonnet }, found, options) }
      } catch (error) {
        if (error instanceof SourceError || error instanceof RangeError || error instanceof ToolFault)
          return { message: messageOf(error) }
        throw error
      }
    },
  }
}

const keyOf = ({ main, files, targets }: Found, options: JsonnetOptions): string =>
  createHash('sha256')
    .update(planKey(files.values(), 'jsonnet', main.path, [...targets], options))
    .digest('hex')

interface Running {
  readonly world: World
  readonly jsonnet: Jsonnet
}

async function run(
  { world, jsonnet }: Running,
  found: Found,
  { extVars, tlas }: JsonnetOptions,
): Promise<JsonnetContent> {
  const { main, targets } = found
  const files = await readFiles(found)
  for (const [path, bytes] of files) if (isPointer(bytes)) return pointerTold(path, main.path)
  const program: ProgramFiles = { main: main.path, files, targets, extVars, tlas }
  const documents = await jsonnet.evaluate(program)
  if ('message' in documents) return { objects: [], problems: [placed(documents, main.path)], bytes: 0 }
  const objects: FileContent['objects'][number][] = []
  const problems: FileContent['problems'][number][] = []
  let bytes = 0
  for (const text of documents) {
    bytes += text.length
    const content = readManifestValue(JSON.parse(text) as Json)
    objects.push(...content.objects)
    problems.push(...content.problems)
    await world.clock.turn('render')
  }
  return { objects, problems, bytes }
}

function pointerTold(path: string, main: string): JsonnetContent {
  const message = path === main ? pointerMessage : `${path}: ${pointerMessage}`
  return { objects: [], problems: [{ line: 1, column: 1, message }], bytes: 0 }
}

async function readFiles({ files }: Found): Promise<ReadonlyMap<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>()
  let total = 0
  for (const file of files.values()) {
    const bytes = await file.read()
    total += bytes.length
    if (total > maxProgramBytes)
      throw new RangeError(`the program imports more than ${maxProgramBytes / 1024 / 1024} MiB of files`)
    read.set(file.path, bytes)
  }
  return read
}

/** Told at the place of the rendered file that led there, with where the fault itself is and the way between. */
function placed({ message, frames }: Fault, main: string): FileContent['problems'][number] {
  const [innermost] = frames
  const own = frames.find(({ path }) => path === main)
  const elsewhere = innermost === undefined || innermost.path === main ? '' : `${innermost.text}: `
  const way = frames.length > 1 ? frames.map(({ text }) => `\n\tat ${text}`).join('') : ''
  return { line: own?.line ?? 1, column: own?.column ?? 1, message: `${elsewhere}${message}${way}` }
}
