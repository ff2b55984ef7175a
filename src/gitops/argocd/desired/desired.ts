// What git wants of an application at certain revisions: resolves them, renders each source, and makes targets of all.

import { type Serving, scopeInManifests } from '#gitops/destinations'
import {
  generatePathsAnnotation,
  type Lookups,
  problemText,
  type Rendered,
  type RenderedObject,
  type Renderer,
  type RenderProblem,
  type RenderRequest,
  readManifestFile,
} from '#gitops/render'
import { type Reading, type Repository, readSnapshot, type Snapshot, SourceError } from '#gitops/source'
import type { Application, ApplicationSource } from '#kinds'
import type { Cache } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { instanceName } from '../application/names.ts'
import { isReferenceOnly, type ResolvedSet, type SourceSet } from '../application/source-set.ts'
import { buildOptionsOf, countsStatus } from '../settings/settings.ts'
import { signatureFaultOfManifests, signatureFindings } from './signature-check.ts'
import { makeTargets, type Targets } from './targets.ts'

/** `findings` says which manifests could not be read, and where. */
export interface Desired extends Targets {
  readonly resolved: ResolvedSet
  readonly sourceTypes: readonly string[]
  /** All of it was read, and its project's signature keys allow it. */
  readonly mayApply: boolean
  /** What of the repositories that depends on. */
  readonly readings: readonly Reading[]
}

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

const maxToldProblems = 10

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

interface RenderedSource {
  readonly path: string
  readonly rendered: Rendered
  /** It brings no manifests itself. */
  readonly isReference: boolean
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

function fromRendered(
  input: Pick<DesiredInput, 'app' | 'cache' | 'serving' | 'set'>,
  sources: readonly RenderedSource[],
  signatures: readonly Finding[],
): Omit<Desired, 'readings'> {
  const made = targetsOf(input, sources)
  const problems = sources.flatMap(({ path, rendered }) =>
    rendered.problems.map((problem) => problemText(problem, path)),
  )
  const faults = [...problems, ...made.problems]
  const warnings = sources.flatMap(({ path, rendered }) =>
    (rendered.warnings ?? []).map(
      (warning): Finding => ({ type: 'RenderWarning', message: problemText(warning, path) }),
    ),
  )
  const incomplete = faults.length > 0 || made.incomplete
  return {
    resolved: { ...input.set, revisions: sources.map(({ rendered }) => rendered.revision) },
    sourceTypes: sources.filter(({ isReference }) => !isReference).map(({ rendered }) => rendered.sourceType),
    incomplete,
    mayApply: !incomplete && signatures.length === 0,
    targets: made.targets,
    problems: faults,
    findings: [...signatures, ...told(input.app, faults), ...warnings, ...made.findings],
  }
}

function told(app: Application, faults: readonly string[]): readonly Finding[] {
  const error = (message: string): Finding => ({
    type: 'ComparisonError',
    message: `Failed to load target state: ${message}`,
  })
  const rest = faults.length - maxToldProblems
  const more = rest > 0 ? [error(`${rest} further faults in the manifests of ${instanceName(app)}`)] : []
  return [...faults.slice(0, maxToldProblems).map(error), ...more]
}

function targetsOf(
  { app, cache, serving }: Pick<DesiredInput, 'app' | 'cache' | 'serving'>,
  sources: readonly RenderedSource[],
): Targets {
  const definitions = sources.flatMap(({ rendered }) =>
    rendered.objects.filter(({ object }) => object.kind === 'CustomResourceDefinition').map(({ object }) => object),
  )
  return makeTargets({
    app: instanceName(app),
    destinationNamespace: app.spec.destination.namespace ?? '',
    sources: sources.map(({ path, rendered }) => ({ path, objects: rendered.objects })),
    kindOf: (apiVersion, kind) => serving.kindOf(apiVersion, kind),
    scopeOf: (apiVersion, kind) => scopeInManifests(definitions, apiVersion, kind),
    wantsStatus: (kind) => countsStatus(cache, kind),
  })
}
