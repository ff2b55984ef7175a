// What git wants of an application at certain revisions: resolves them, renders each source, and makes targets of all.

import type { Serving } from '#gitops/destinations'
import {
  generatePathsAnnotation,
  type Lookups,
  type Rendered,
  type RenderedObject,
  type Renderer,
  type RenderProblem,
  type RenderRequest,
  readManifestFile,
} from '#gitops/render'
import { type Repository, readSnapshot, type Snapshot, SourceError } from '#gitops/source'
import type { Application, ApplicationSource } from '#kinds'
import type { Cache } from '#reconcile'
import { isReferenceOnly, type ResolvedSet, type SourceSet } from '../application/source-set.ts'
import { buildOptionsOf } from '../settings/settings.ts'
import { type Desired, fromRendered, type RenderedSource } from './from-rendered.ts'
import { signatureFaultOfManifests, signatureFindings } from './signature-check.ts'

export interface DesiredInput {
  readonly app: Application
  readonly set: SourceSet
  /** For each source a branch, tag, commit or empty: what to resolve. Where it is missing, what the source says. */
  readonly revisions: readonly (string | undefined)[]
  /** The repository of each source. */
  readonly repositories: readonly Repository[]
  readonly renderer: Renderer
  /** Of the built-in cluster, where settings are. */
  readonly cache: Cache
  /** The destination. */
  readonly serving: Serving
  /** What charts may look up there. */
  readonly lookups?: Lookups | 'none' | undefined
  readonly now: number
}

/** Throws SourceError when a revision or path does not exist or cannot be read. */
export async function loadDesired(input: DesiredInput): Promise<Desired> {
  const read = await Promise.all(
    input.set.sources.map((source, index) =>
      readSnapshot(repositoryOf(input, index), input.revisions[index] ?? source.targetRevision ?? ''),
    ),
  )
  const references = new Map<string, Snapshot>()
  for (const [index, { ref = '' }] of input.set.sources.entries()) {
    const snapshot = read[index]?.snapshot
    if (ref !== '' && snapshot !== undefined) references.set(ref, snapshot)
  }
  const rendered: RenderedSource[] = []
  for (const [index, source] of input.set.sources.entries()) {
    const snapshot = read[index]?.snapshot
    if (snapshot !== undefined) rendered.push(await renderSource(input, { source, snapshot, references }))
  }
  const signatures = await signatureFindings(
    input,
    rendered.map(({ rendered: { revision } }) => revision),
  )
  return { ...fromRendered(input, rendered, signatures), readings: read.map(({ reading }) => reading) }
}

/** What somebody sent with his sync, in the place of what git says at these revisions. */
export function desiredOfManifests(
  input: Pick<DesiredInput, 'app' | 'cache' | 'serving'>,
  resolved: ResolvedSet,
  manifests: readonly string[],
): Desired {
  const objects: RenderedObject[] = []
  const problems: RenderProblem[] = []
  for (const [index, text] of manifests.entries()) {
    const file = `manifests[${index}]`
    const content = readManifestFile('sent.yaml', Buffer.from(text))
    for (const each of content.objects) objects.push({ ...each, file })
    for (const each of content.problems) problems.push({ ...each, file })
    // Nothing read must not mean that nothing is wanted.
    if (content.objects.length + content.problems.length === 0) problems.push({ file, message: 'this is no manifest' })
  }
  const rendered: Rendered = { revision: '', sourceType: 'Directory', objects, problems }
  const made = fromRendered(
    { ...input, set: resolved },
    [{ path: '.', rendered, isReference: false }],
    signatureFaultOfManifests(input),
  )
  return { ...made, resolved, readings: [] }
}

/** What files would be as the checkout of the application's source: of several, the first one that brings manifests. */
export async function desiredOfFiles(
  input: Omit<DesiredInput, 'revisions' | 'now'>,
  files: Snapshot,
  trusted: boolean,
): Promise<Omit<Desired, 'readings'>> {
  const index = input.set.sources.findIndex((source) => !(input.set.multiple && isReferenceOnly(source)))
  const source = input.set.sources[index]
  if (source === undefined) throw new SourceError('InvalidPath', 'no source of the application brings manifests')
  const references = new Map<string, Snapshot>()
  for (const [at, { ref = '', targetRevision = '' }] of input.set.sources.entries())
    if (ref !== '') references.set(ref, at === index ? files : await repositoryOf(input, at).snapshot(targetRevision))
  const request = renderRequest(input, { source, snapshot: files, references })
  const rendered = await input.renderer.render({ ...request, trusted })
  const set = { sources: [source], multiple: false }
  return fromRendered({ ...input, set }, [{ path: pathOf(source), rendered, isReference: false }], [])
}

function repositoryOf({ repositories }: Pick<DesiredInput, 'repositories'>, index: number): Repository {
  const repository = repositories[index]
  if (repository === undefined) throw new RangeError(`source ${index} has no repository`)
  return repository
}

interface Rendering {
  readonly source: ApplicationSource
  readonly snapshot: Snapshot
  readonly references: ReadonlyMap<string, Snapshot>
}

async function renderSource(input: DesiredInput, { source, snapshot, references }: Rendering): Promise<RenderedSource> {
  const path = pathOf(source)
  if (input.set.multiple && isReferenceOnly(source)) {
    const { revision } = await snapshot.list('.', { recurse: false })
    return { path, rendered: { revision, sourceType: 'Directory', objects: [], problems: [] }, isReference: true }
  }
  const rendered = await input.renderer.render(renderRequest(input, { source, snapshot, references }))
  return { path, rendered, isReference: false }
}

/** What is asked of the renderer for one source of an application. */
export const renderRequest = (
  { app, cache, serving, lookups }: Pick<DesiredInput, 'app' | 'cache' | 'serving' | 'lookups'>,
  { source, snapshot, references }: Rendering,
): RenderRequest => ({
  snapshot,
  path: pathOf(source),
  source,
  references,
  buildOptions: buildOptionsOf(cache, source),
  environment: {
    app: {
      name: app.metadata.name ?? '',
      project: app.spec.project,
      namespace: app.spec.destination.namespace ?? '',
      generatePaths: app.metadata.annotations?.[generatePathsAnnotation],
    },
    get capabilities() {
      return serving.capabilities
    },
    ...(lookups === undefined ? {} : { lookups }),
  },
})

const pathOf = ({ path = '' }: ApplicationSource): string => (path === '' ? '.' : path)
