// `.argocd-source.yaml` and `.argocd-source-<application>.yaml` in an application's path: parts of its source that stand in
// the repository. The second wins over the first, and both over the Application.

import type { Listing, Snapshot } from '#gitops/source'
import { type ApplicationSource, applicationSourceSchema } from '#kinds'
import { type Json, type JsonObject, mergePatch } from '#objects'
import type { RenderProblem } from './directory.ts'
import { shapeFault } from './shape.ts'
import { DecodeFault, decodeText, positionAt } from './yaml-stream.ts'
import { parseYamlDocument, YamlFault } from './yaml-value.ts'

export interface OverrideRequest {
  readonly snapshot: Snapshot
  readonly path: string
  readonly listing: Listing
  readonly app: string
}

/** The source with the overrides, or what is wrong with one of them. */
export async function withParameterOverrides(
  source: ApplicationSource,
  request: OverrideRequest,
): Promise<ApplicationSource | RenderProblem> {
  let merged = source
  for (const name of ['.argocd-source.yaml', `.argocd-source-${request.app}.yaml`]) {
    const file = request.listing.files.find((each) => each.path === name)
    if (file === undefined) continue
    if (file.problem !== undefined) return { file: name, message: file.problem }
    const text = await textOf(request, file)
    if (typeof text !== 'string') return text
    const read = parse(name, text)
    if (!('value' in read)) return read
    const wanted = kept(read.value)
    const fault = shapeFault(applicationSourceSchema, wanted)
    if (fault !== undefined) return { file: name, message: fault }
    merged = mergePatch(merged as unknown as Json, wanted) as unknown as ApplicationSource
  }
  return merged
}

async function textOf(
  { snapshot, path }: OverrideRequest,
  file: Listing['files'][number],
): Promise<string | RenderProblem> {
  try {
    return decodeText(await snapshot.read(path, file))
  } catch (error) {
    if (error instanceof DecodeFault) return { file: file.path, message: error.message }
    throw error
  }
}

function parse(file: string, text: string): { readonly value: JsonObject } | RenderProblem {
  try {
    const value = parseYamlDocument(text)
    if (value === null) return { value: {} }
    if (typeof value === 'object' && !Array.isArray(value)) return { value: value as JsonObject }
    return { file, message: 'a map of fields of spec.source is expected' }
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error
    return { file, ...positionAt(text, error.offset), message: error.message }
  }
}

/** Where the source is cannot be said in the source. */
const kept = ({ repoURL: _r, path: _p, targetRevision: _t, chart: _c, ref: _f, ...rest }: JsonObject): JsonObject =>
  rest
