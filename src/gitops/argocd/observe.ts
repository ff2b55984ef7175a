// Looks at an application: its spec, what git wants of it, what is there, and how the two differ.
// Reads: AppProjects, the repository, live objects.  Writes: nothing.

import type { Customizations } from '#gitops/customizations'
import { keyOf, keyText, type ResourceKey, shownName, trackedBy } from '#gitops/diff'
import type { Health } from '#gitops/health'
import { problemText, type Renderer } from '#gitops/render'
import { type Repository, SourceError, type Sources } from '#gitops/source'
import { isHook } from '#gitops/sync'
import { Application, AppProject, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import type { Kit } from '#reconcile'
import { type Comparison, compareApplication, type Judged } from './comparison.ts'
import type { Finding } from './conditions.ts'
import { customizationWarnings } from './customization-warnings.ts'
import { type Desired, loadDesired } from './desired.ts'
import type { IgnoredPaths } from './ignored-paths.ts'
import { type Answers, type HealthOf, judge, judgeExtra } from './judge.ts'
import { findKind } from './kind-lookup.ts'
import { LiveObjects } from './live-objects.ts'
import type { Memory } from './memory.ts'
import { argocdNamespace, instanceName, keyOfInstance, projectKey } from './names.ts'
import { specFaults } from './project.ts'
import { customizationsOf } from './settings.ts'
import { noSources, type SourceSet, sourceSet } from './source-set.ts'
import type { Target } from './targets.ts'

export interface Eyes {
  readonly sources: Sources
  readonly renderer: Renderer
  readonly memory: Memory
  readonly ignored: IgnoredPaths
  readonly health: Health
}

export type Observation =
  /** Something that is needed is on its way; it wakes the application, or comes within `againMs`. */
  | { readonly type: 'waiting'; readonly againMs: number | undefined }
  /** The target state could not be loaded at all. */
  | { readonly type: 'failed'; readonly findings: readonly Finding[] }
  | {
      readonly type: 'compared'
      readonly comparison: Comparison
      readonly desired: Desired
      readonly project: AppProject
    }

const cacheSoonMs = 10

export async function observe(
  eyes: Eyes,
  key: string,
  { app, kit }: { readonly app: Application; readonly kit: Kit },
): Promise<Observation> {
  const project = kit.cache.get(AppProject, projectKey(app))
  const faults = specFaults(app, project)
  const set = sourceSet(app.spec) ?? noSources
  const found = findRepositories(eyes, set)
  const repositories = found.filter((each): each is Repository => !(each instanceof SourceError))
  eyes.memory.of(key)
  eyes.memory.followers.follow(key, [...new Set(repositories.map((each) => each.key))])
  if (faults.length > 0 || project === undefined) return { type: 'failed', findings: faults }
  const unknown = found.find((each) => each instanceof SourceError)
  if (unknown !== undefined) return { type: 'failed', findings: [comparisonError(unknown)] }
  const unready = repositories.filter((each) => !each.state.ready)
  const trouble = unready.find((each) => each.state.trouble !== undefined)?.state.trouble
  if (trouble !== undefined) return { type: 'failed', findings: [comparisonError(trouble)] }
  if (unready.length > 0) return { type: 'waiting', againMs: undefined }
  let desired: Desired
  try {
    desired = await loadDesired({ app, set, revisions: [], repositories, renderer: eyes.renderer, cache: kit.cache })
  } catch (error) {
    if (error instanceof SourceError)
      return { type: 'failed', findings: [comparisonError(error), ...repositories.flatMap(repositoryFindings)] }
    throw error
  }
  eyes.memory.of(key).hasUnknownKinds = desired.targets.some((target) => target.kind === undefined)
  const live = new LiveObjects(kit)
  const kinds = kindsOf(app, desired, kit)
  if (!followAll(live, kinds)) return { type: 'waiting', againMs: cacheSoonMs }
  const findings = [...desired.findings, ...[...new Set(repositories)].flatMap(repositoryFindings)]
  const comparison = await compare({
    app,
    kit,
    live,
    kinds,
    desired,
    findings,
    answers: eyes.memory.of(key).answers,
    ignored: eyes.ignored,
    customizations: customizationsOf(kit.cache),
    healthOf: healthIn(eyes, kit),
  })
  return { type: 'compared', comparison, desired, project }
}

/** By the settings of this moment. */
export function healthIn({ health }: Pick<Eyes, 'health'>, { cache }: Pick<Kit, 'cache'>): HealthOf {
  const customizations = customizationsOf(cache)
  return (object) => health.of(object, customizations)
}

/** The repository of each source, or why it is none. */
function findRepositories({ sources }: Pick<Eyes, 'sources'>, set: SourceSet): readonly (Repository | SourceError)[] {
  return set.sources.map((source) => {
    try {
      return sources.repository(source.repoURL, source.chart)
    } catch (error) {
      if (error instanceof SourceError) return error
      throw error
    }
  })
}

const comparisonError = ({ message }: { readonly message: string }): Finding => ({
  type: 'ComparisonError',
  message: `Failed to load target state: ${message}`,
})

/** A repository in trouble is still compared by what was read last. Its age is that of the condition. */
function repositoryFindings({ state }: Repository): readonly Finding[] {
  return state.trouble === undefined
    ? []
    : [{ type: 'RepositoryWarning', message: `the last good revision is shown: ${state.trouble.message}` }]
}

/** Kinds of everything that is wanted, and of everything that was there at the last look: what is no longer wanted is found by them. */
function kindsOf(app: Application, desired: Desired, kit: Kit): readonly Kind[] {
  const kinds = new Set<Kind>()
  for (const { kind } of desired.targets) if (kind !== undefined) kinds.add(kind)
  for (const { group = '', version = '', kind } of app.status?.resources ?? []) {
    const found = findKind(kit.cache, group === '' ? version : `${group}/${version}`, kind)
    if (found !== undefined) kinds.add(found)
  }
  return [...kinds]
}

function followAll(live: LiveObjects, kinds: readonly Kind[]): boolean {
  let known = true
  for (const kind of kinds) known = live.follow(kind) && known
  return known
}

interface CompareInput {
  readonly app: Application
  readonly kit: Kit
  readonly live: LiveObjects
  readonly kinds: readonly Kind[]
  readonly desired: Desired
  readonly findings: readonly Finding[]
  readonly answers: Answers
  readonly ignored: IgnoredPaths
  readonly customizations: Customizations
  readonly healthOf: HealthOf
}

async function compare(input: CompareInput): Promise<Comparison> {
  const { app, kit, desired, answers } = input
  const { wanted, hooks } = splitHooks(desired.targets)
  const ignore = app.spec.ignoreDifferences ?? []
  const options = app.spec.syncPolicy?.syncOptions ?? []
  const shared: Finding[] = []
  const refused: Finding[] = []
  const judged: Judged[] = []
  const asked = new Set<string>()
  for (const target of wanted) {
    const id = keyText(target.key)
    asked.add(id)
    const live = target.kind === undefined ? undefined : input.live.get(target.kind, target.key)
    const other = live === undefined ? undefined : otherOwner(app, live, kit)
    if (other !== undefined) shared.push(sharedWarning(target.key, app, other))
    const verdict = await judge({ ...input, ignore, options }, id, { target, live })
    judged.push(verdict)
    if (verdict.refusal !== undefined) refused.push(refusedWarning(target, verdict.refusal))
  }
  for (const id of answers.keys()) if (!asked.has(id)) answers.delete(id)
  for (const { kind, object } of extras(input, wanted)) judged.push(await judgeExtra(input.healthOf, kind, object))
  const ownRules = customizationWarnings(input.customizations.faults, judged)
  const unread = input.ignored.faultsIn(ignore).map((message): Finding => ({ type: 'InvalidSpecError', message }))
  return compareApplication({
    resolved: desired.resolved,
    sourceTypes: desired.sourceTypes,
    judged,
    hooks: hooks.map((target) => target.object),
    findings: [...input.findings, ...shared, ...refused.slice(0, maxToldRefusals), ...unread, ...ownRules],
    incomplete: desired.incomplete,
    isSelf: (key) =>
      key.kind === 'Application' &&
      key.name === app.metadata.name &&
      key.namespace === (app.metadata.namespace ?? argocdNamespace),
  })
}

function splitHooks(targets: readonly Target[]): {
  readonly wanted: readonly Target[]
  readonly hooks: readonly Target[]
} {
  return {
    wanted: targets.filter((target) => !isHook(target.object)),
    hooks: targets.filter((target) => isHook(target.object)),
  }
}

/** Tracked objects that git does not want. */
export function extras(
  input: Pick<CompareInput, 'app' | 'live' | 'kinds'>,
  wanted: readonly Target[],
): readonly { readonly kind: Kind; readonly object: AnyObject }[] {
  const known = new Set(wanted.map((target) => keyText(target.key)))
  const found: { readonly kind: Kind; readonly object: AnyObject }[] = []
  const seen = new Set<string>()
  for (const kind of input.kinds) {
    for (const object of input.live.tracked(kind, instanceName(input.app))) {
      const id = keyText(keyOf(object))
      if (known.has(id) || seen.has(id) || isHook(object)) continue
      seen.add(id)
      found.push({ kind, object })
    }
  }
  return found.sort((a, b) => (keyText(keyOf(a.object)) < keyText(keyOf(b.object)) ? -1 : 1))
}

/** Another application, still there, that says the object is its own. */
export function otherOwner(app: Application, live: AnyObject, kit: Kit): string | undefined {
  const owner = trackedBy(live)
  if (owner === undefined || owner === instanceName(app)) return undefined
  return kit.cache.get(Application, keyOfInstance(owner)) === undefined ? undefined : owner
}

const maxToldRefusals = 10

const refusedWarning = ({ key, path, file, line }: Target, refusal: string): Finding => ({
  type: 'RefusedResourceWarning',
  message: problemText({ file, line, message: `the cluster refuses ${shownName(key)}: ${refusal}` }, path),
})

const sharedWarning = (key: ResourceKey, app: Application, other: string): Finding => ({
  type: 'SharedResourceWarning',
  message: `${key.group}/${shownName(key)} is part of applications ${instanceName(app)} and ${other}`,
})
