// Makes what git wants of an application out of what its sources rendered: targets, and what is to be told of the manifests. Pure.

import { type Serving, scopeInManifests } from '#gitops/destinations'
import { problemText, type Rendered } from '#gitops/render'
import type { Reading } from '#gitops/source'
import type { Application } from '#kinds'
import type { Cache } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { instanceName } from '../application/names.ts'
import type { ResolvedSet, SourceSet } from '../application/source-set.ts'
import { countsStatus } from '../settings/settings.ts'
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

export interface RenderedSource {
  readonly path: string
  readonly rendered: Rendered
  /** It brings no manifests itself. */
  readonly isReference: boolean
}

export interface RenderedFor {
  readonly app: Application
  /** Of the built-in cluster, where settings are. */
  readonly cache: Cache
  /** The destination. */
  readonly serving: Serving
  readonly set: SourceSet
}

const maxToldProblems = 10

export function fromRendered(
  input: RenderedFor,
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

function targetsOf({ app, cache, serving }: RenderedFor, sources: readonly RenderedSource[]): Targets {
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
