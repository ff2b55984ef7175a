// What has to be created, changed and deleted so that the Applications of a set are those that it wants: a plan with its
// numbers, made before anything is done. A plan that would delete most of a large set waits until a person approves it. Pure.

import { type Application, type ApplicationSet, deletionApprovedAnnotation } from '#kinds'
import { isEqual, parseTime } from '#objects'

export interface Plan {
  readonly create: readonly Application[]
  readonly update: readonly { readonly live: Application; readonly next: Application }[]
  readonly remove: readonly Application[]
  /** The policy lets existing Applications be changed. */
  readonly mayUpdate: boolean
  /** Deletions that wait for a person: why. */
  readonly held: string | undefined
  /** Applications that are wanted and cannot be: why, by name. */
  readonly faults: readonly string[]
}

export interface PlanInput {
  readonly set: ApplicationSet
  readonly wanted: readonly Application[]
  /** Applications that the set owns. */
  readonly owned: readonly Application[]
  /** Applications of its namespace by name, whoever owns them. */
  readonly find: (name: string) => Application | undefined
}

/** Sets up to this size may lose all of their Applications without being asked. */
const smallSet = 10

export function planApplications(input: PlanInput): Plan {
  const { set, owned } = input
  const policy = set.spec.syncPolicy?.applicationsSync ?? 'sync'
  const { valid, faults } = checked(input)
  const names = new Set(valid.map(({ metadata }) => metadata.name))
  const gone = owned.filter(({ metadata }) => !names.has(metadata.name) && metadata.deletionTimestamp === undefined)
  // A fault may be why an Application is not wanted any more: then nothing is deleted.
  const mayDelete = faults.length === 0 && (policy === 'sync' || policy === 'create-delete')
  const mayUpdate = policy === 'sync' || policy === 'create-update'
  const create: Application[] = []
  const update: { live: Application; next: Application }[] = []
  for (const application of valid) {
    const live = input.find(application.metadata.name ?? '')
    if (live === undefined) create.push(ownedBy(set, application))
    else if (mayUpdate && live.metadata.deletionTimestamp === undefined) {
      const next = nextOf(set, live, application)
      if (next !== live) update.push({ live, next })
    }
  }
  const held = mayDelete ? heldBecause(set, owned, gone) : undefined
  return { create, update, remove: mayDelete && held === undefined ? gone : [], mayUpdate, held, faults }
}

function checked({ set, wanted, find }: PlanInput): {
  readonly valid: readonly Application[]
  readonly faults: readonly string[]
} {
  const faults: string[] = []
  const valid: Application[] = []
  const seen = new Set<string>()
  for (const application of wanted) {
    const name = application.metadata.name ?? ''
    const owner = find(name)?.metadata.ownerReferences?.find((reference) => reference.controller === true)
    if (name === '') faults.push('an Application without a name was generated')
    else if (seen.has(name))
      faults.push(`ApplicationSet ${set.metadata.name ?? ''} contains applications with duplicate name: ${name}`)
    else if (owner !== undefined && owner.uid !== set.metadata.uid)
      faults.push(`${name} is already owned by ${owner.kind} ${owner.name}`)
    else valid.push(application)
    seen.add(name)
  }
  return { valid, faults }
}

function heldBecause(
  { metadata }: ApplicationSet,
  owned: readonly Application[],
  gone: readonly Application[],
): string | undefined {
  const isMass = gone.length > smallSet && gone.length * 2 > owned.length
  if (!isMass) return undefined
  const approvedAt = parseTime(metadata.annotations?.[deletionApprovedAnnotation])
  const newest = Math.max(...gone.map((application) => parseTime(application.metadata.creationTimestamp) ?? 0))
  if (approvedAt !== undefined && approvedAt >= newest) return undefined
  return `${gone.length} of ${owned.length} Applications would be deleted, which waits for approval: annotate the ApplicationSet with ${deletionApprovedAnnotation}: <time, RFC 3339>`
}

const ownerOf = ({ metadata }: ApplicationSet) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})

const ownedBy = (set: ApplicationSet, application: Application): Application => ({
  ...application,
  metadata: { ...application.metadata, ownerReferences: [ownerOf(set)] },
})

/** Annotations that others put on Applications and that stay. */
const kept: readonly string[] = ['notified.notifications.argoproj.io', 'argocd.argoproj.io/refresh']

/** The live Application with what the set says; the same one when it says nothing new. */
function nextOf(set: ApplicationSet, live: Application, wanted: Application): Application {
  const { preservedFields } = set.spec
  const metadata = {
    ...live.metadata,
    labels: withKept(wanted.metadata.labels, live.metadata.labels, preservedFields?.labels ?? []),
    annotations: withKept(wanted.metadata.annotations, live.metadata.annotations, [
      ...kept,
      ...(preservedFields?.annotations ?? []),
    ]),
    finalizers: finalizersOf(live, wanted),
    ownerReferences: [
      ...(live.metadata.ownerReferences ?? []).filter((each) => each.uid !== set.metadata.uid),
      ownerOf(set),
    ],
  }
  const spec = ignoring(set, live, wanted)
  const isSame =
    isEqual(spec, live.spec) &&
    isEqual(metadata.labels, live.metadata.labels ?? {}) &&
    isEqual(metadata.annotations, live.metadata.annotations ?? {}) &&
    isEqual(metadata.finalizers, live.metadata.finalizers ?? []) &&
    isEqual(metadata.ownerReferences, live.metadata.ownerReferences ?? [])
  return isSame ? live : { ...live, metadata, spec }
}

type Texts = Readonly<Record<string, string>>

function withKept(wanted: Texts | undefined, live: Texts | undefined, names: readonly string[]): Texts {
  const result: Record<string, string> = { ...wanted }
  for (const [name, value] of Object.entries(live ?? {})) {
    if (result[name] === undefined && names.some((each) => name === each || name.startsWith(`${each}.`)))
      result[name] = value
  }
  return result
}

/** Finalizers of hooks that are still to run are the application controller's. */
const finalizersOf = (live: Application, wanted: Application): readonly string[] => [
  ...(wanted.metadata.finalizers ?? []),
  ...(live.metadata.finalizers ?? []).filter((name) => /^(pre|post)-delete-finalizer\.argocd\.argoproj\.io/.test(name)),
]

/** `ignoreApplicationDifferences`: what it points at stays as it is. */
function ignoring(set: ApplicationSet, live: Application, wanted: Application): Application['spec'] {
  let spec = wanted.spec as unknown as Tree
  for (const rule of set.spec.ignoreApplicationDifferences ?? []) {
    if (rule.name !== undefined && rule.name !== '' && rule.name !== live.metadata.name) continue
    for (const pointer of rule.jsonPointers ?? []) {
      const [root, ...steps] = pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      if (root === 'spec' && steps.length > 0) spec = copied(spec, live.spec as unknown as Tree, steps)
    }
  }
  return spec as unknown as Application['spec']
}

interface Tree {
  readonly [name: string]: unknown
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `into` with the value that `from` has at a path; without it where `from` has none. */
function copied(into: Tree, from: Tree | undefined, [step = '', ...rest]: readonly string[]): Tree {
  const source = from?.[step]
  if (rest.length === 0) {
    const { [step]: _old, ...others } = into
    return source === undefined ? others : { ...others, [step]: source }
  }
  const inner = into[step]
  return isTree(inner) ? { ...into, [step]: copied(inner, isTree(source) ? source : undefined, rest) } : into
}
