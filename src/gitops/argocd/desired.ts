// What git wants of an application at a revision: resolves the revision, renders the path, and makes targets.

import { problemText, type Rendered, type Renderer, type RenderRequest } from '#gitops/render'
import type { Repository } from '#gitops/source'
import type { Application, ApplicationSource } from '#kinds'
import type { Cache } from '#reconcile'
import type { Finding } from './conditions.ts'
import { findKind, scopeInManifests } from './kind-lookup.ts'
import { instanceName } from './names.ts'
import { makeTargets, type Targets } from './targets.ts'

/** `findings` says which manifests could not be read, and where. */
export interface Desired extends Targets {
  readonly revision: string
  readonly source: ApplicationSource
}

export interface DesiredInput {
  readonly app: Application
  readonly source: ApplicationSource
  /** Branch, tag, commit or empty: what to resolve. */
  readonly revision: string
  readonly repository: Repository
  readonly renderer: Renderer
  readonly cache: Cache
}

const maxToldProblems = 10

/** Throws SourceError when the revision or path does not exist or cannot be read. */
export async function loadDesired(input: DesiredInput): Promise<Desired> {
  const { app, source, repository, renderer } = input
  const snapshot = await repository.snapshot(input.revision)
  const path = source.path === undefined || source.path === '' ? '.' : source.path
  const rendered = await renderer.render({ snapshot, path, ...directoryOf(source) })
  const made = targetsOf(input, rendered)
  const problems = [...rendered.problems, ...made.problems]
  const told = problems.slice(0, maxToldProblems).map(
    (problem): Finding => ({
      type: 'ComparisonError',
      message: `Failed to load target state: ${problemText(problem, path)}`,
    }),
  )
  const rest = problems.length - told.length
  const more: readonly Finding[] =
    rest > 0
      ? [
          {
            type: 'ComparisonError',
            message: `Failed to load target state: ${rest} further faults in the manifests of ${instanceName(app)}`,
          },
        ]
      : []
  return {
    revision: rendered.revision,
    source,
    incomplete: problems.length > 0 || made.incomplete,
    targets: made.targets,
    problems,
    findings: [...told, ...more, ...made.findings],
  }
}

function targetsOf(input: DesiredInput, rendered: Rendered): Targets {
  const { app, cache } = input
  const objects = rendered.objects
  const definitions = objects
    .filter(({ object }) => object.kind === 'CustomResourceDefinition')
    .map(({ object }) => object)
  return makeTargets({
    app: instanceName(app),
    destinationNamespace: app.spec.destination.namespace ?? '',
    objects,
    kindOf: (apiVersion, kind) => findKind(cache, apiVersion, kind),
    scopeOf: (apiVersion, kind) => scopeInManifests(definitions, apiVersion, kind),
  })
}

function directoryOf(source: ApplicationSource): Pick<RenderRequest, 'directory' | 'explicit'> {
  const { directory } = source
  return {
    directory: {
      recurse: directory?.recurse === true,
      include: directory?.include ?? '',
      exclude: directory?.exclude ?? '',
    },
    explicit: directory !== undefined && directory !== null && Object.keys(directory).length > 0,
  }
}
