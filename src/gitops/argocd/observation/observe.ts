// Looks at an application: its spec, what git wants of it, what is there, and how the two differ.
// Reads: AppProjects, the repository, live objects.  Writes: nothing.

import type { Customizations } from '#gitops/customizations'
import { type Destination, scopeFault } from '#gitops/destinations'
import { keyText, type ResourceKey, shownName } from '#gitops/diff'
import { problemText } from '#gitops/render'
import { isHook } from '#gitops/sync'
import type { Application, AppProject, Kind } from '#kinds'
import type { Kit } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { argocdNamespace, instanceName } from '../application/names.ts'
import { owesNamespaceMetadata } from '../application/namespace-metadata.ts'
import { type Comparison, compareApplication, type Judged } from '../comparison/comparison.ts'
import { DestinationFault } from '../comparison/destination-fault.ts'
import { ignoreFindings, ignoreRulesOf } from '../comparison/ignore-rules.ts'
import type { IgnoredPaths } from '../comparison/ignored-paths.ts'
import { type Answers, type HealthOf, judge, judgeExtra } from '../comparison/judge.ts'
import { LiveObjects } from '../comparison/live-objects.ts'
import type { Desired } from '../desired/from-rendered.ts'
import type { Target } from '../desired/targets.ts'
import { type CompareWay, compareWayOf } from '../settings/compare-way.ts'
import { customizationsOf } from '../settings/settings.ts'
import { customizationWarnings } from './customization-warnings.ts'
import { explaining } from './stuck-pods.ts'
import { extras, otherOwner } from './tracked.ts'
import { type Eyes, loadWanted, type NotLoaded } from './wanted.ts'

export type Observation =
  | NotLoaded
  | {
      readonly type: 'compared'
      readonly comparison: Comparison
      readonly desired: Desired
      readonly project: AppProject
      readonly destination: Destination
      /** World time at which something else is wanted. */
      readonly until?: number | undefined
    }

const cacheSoonMs = 10

export async function observe(
  eyes: Eyes,
  key: string,
  { app, kit }: { readonly app: Application; readonly kit: Kit },
): Promise<Observation> {
  const wanted = await loadWanted(eyes, key, { app, kit })
  if (wanted.type !== 'loaded') return wanted
  const { desired, project, destination } = wanted
  assertReach(destination, desired.targets)
  eyes.memory.of(key).hasUnknownKinds = desired.targets.some((target) => target.kind === undefined)
  const live = new LiveObjects(destination, project)
  const kinds = kindsOf(app, desired, destination)
  if (!followAll(live, kinds)) return { type: 'waiting', againMs: destination.isBuiltIn ? cacheSoonMs : undefined }
  const judge = healthIn(eyes, kit)
  // Pods of other clusters are not kept in view.
  const health = destination.isBuiltIn ? explaining(judge, kit.cache) : { healthOf: judge, owners: [] }
  const comparison = await compare({
    app,
    kit,
    destination,
    live,
    kinds,
    desired,
    findings: wanted.findings,
    answers: eyes.memory.of(key).answers,
    ignored: eyes.ignored,
    way: compareWayOf(app, kit.cache),
    customizations: customizationsOf(kit.cache),
    healthOf: health.healthOf,
  })
  eyes.memory.stuckPods.await(key, health.owners)
  return { type: 'compared', comparison, desired, project, destination, until: wanted.until }
}

/** Nothing is said of an application that is partly out of reach. */
function assertReach({ cluster }: Destination, targets: readonly Target[]): void {
  for (const { key, kind } of targets) {
    const fault = kind === undefined ? undefined : scopeFault(cluster, key)
    if (fault !== undefined) throw new DestinationFault(fault)
  }
}

/** By the settings of this moment. */
export function healthIn({ health }: Pick<Eyes, 'health'>, { cache }: Pick<Kit, 'cache'>): HealthOf {
  const customizations = customizationsOf(cache)
  return (object) => health.of(object, customizations)
}

/**
 * Kinds of everything that is wanted, of everything that was there at the last look, and of everything that was synced last:
 * what is no longer wanted, or never was in git at this revision, is found by them.
 */
function kindsOf(app: Application, desired: Desired, destination: Destination): readonly Kind[] {
  const kinds = new Set<Kind>()
  for (const { kind } of desired.targets) if (kind !== undefined) kinds.add(kind)
  const { resources = [], operationState } = app.status ?? {}
  for (const { group = '', version = '', kind } of [...resources, ...(operationState?.syncResult?.resources ?? [])]) {
    const found = destination.kindOf(group === '' ? version : `${group}/${version}`, kind)
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
  readonly destination: Destination
  readonly live: LiveObjects
  readonly kinds: readonly Kind[]
  readonly desired: Desired
  readonly findings: readonly Finding[]
  readonly answers: Answers
  readonly ignored: IgnoredPaths
  readonly way: CompareWay
  readonly customizations: Customizations
  readonly healthOf: HealthOf
}

async function compare(input: CompareInput): Promise<Comparison> {
  const { app, kit, desired, answers } = input
  const { wanted, hooks } = splitHooks(desired.targets)
  const ignore = ignoreRulesOf(app, input.customizations)
  const { ignoreAggregatedRoles: ignoresAggregatedRoles } = input.customizations.compare
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
    const verdict = await judge({ ...input, ignore, options, ignoresAggregatedRoles }, id, { target, live })
    judged.push(verdict)
    if (verdict.refusal !== undefined) refused.push(refusedWarning(target, verdict.refusal))
  }
  for (const id of answers.keys()) if (!asked.has(id)) answers.delete(id)
  for (const { kind, object } of extras(input, wanted)) judged.push(await judgeExtra(input.healthOf, kind, object))
  const ownRules = customizationWarnings(input.customizations.faults, judged)
  const unread = ignoreFindings(app, input.customizations, input.ignored)
  return compareApplication({
    resolved: desired.resolved,
    sourceTypes: desired.sourceTypes,
    judged,
    hooks: hooks.map((target) => target.object),
    findings: [...input.findings, ...shared, ...refused.slice(0, maxToldRefusals), ...unread, ...ownRules],
    incomplete: desired.incomplete,
    owesMore: owesNamespaceMetadata(app),
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

const maxToldRefusals = 10

const refusedWarning = ({ key, path, file, line }: Target, refusal: string): Finding => ({
  type: 'RefusedResourceWarning',
  message: problemText({ file, line, message: `the cluster refuses ${shownName(key)}: ${refusal}` }, path),
})

const sharedWarning = (key: ResourceKey, app: Application, other: string): Finding => ({
  type: 'SharedResourceWarning',
  message: `${key.group}/${shownName(key)} is part of applications ${instanceName(app)} and ${other}`,
})
