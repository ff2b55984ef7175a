// What the conditions of a namespace that is being deleted say, and when to look again. Pure. Follows Kubernetes'
// namespaced resources deleter.

import type { APIService, Kind, Namespace, NamespaceCondition, Pod } from '#kinds'
import { formatTime, type KubeObject, parseTime } from '#objects'
import { isPodFinished } from '../pods.ts'

/** What is left of one kind after its objects were deleted. */
export interface Remainder {
  readonly kind: Kind
  readonly objects: readonly KubeObject[]
  /** How long they may take to end, if that explains why they are still there. */
  readonly graceSeconds?: number
}

export interface ContentFailure {
  readonly message: string
}

export interface Observed {
  readonly namespace: Namespace
  /** Groups that nobody answers for: what they have in the namespace is unknown. */
  readonly undiscovered?: readonly string[]
  readonly remainders: readonly Remainder[]
  readonly failures: readonly ContentFailure[]
  readonly now: number
}

const finalizerWaitSeconds = 15

type ConditionText = Pick<NamespaceCondition, 'type' | 'status' | 'reason' | 'message'>

/** `group/version` of the APIServices whose servers are away. */
export const undiscoveredGroups = (services: readonly APIService[]): readonly string[] =>
  services
    .filter(
      ({ spec, status }) =>
        spec?.service != null &&
        status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') !== true,
    )
    .map(({ spec }) => `${spec?.group}/${spec?.version}`)
    .sort()

export const discoveryError = (groups: readonly string[]): string =>
  `unable to retrieve the complete list of server APIs: ${groups.map((group) => `${group}: stale GroupVersion discovery: ${group}`).join(', ')}`

export function decideConditions({
  namespace,
  undiscovered = [],
  remainders,
  failures,
  now,
}: Observed): readonly NamespaceCondition[] {
  const texts = [
    discovery(undiscovered),
    parsed,
    contentFailure(failures),
    contentRemaining(remainders),
    finalizersRemaining(remainders),
  ]
  const old = namespace.status?.conditions ?? []
  const others = old.filter(({ type }) => !texts.some((text) => text.type === type))
  const conditions = texts.map((text) => withTime(text, old, now))
  const same =
    others.length + conditions.length === old.length && conditions.every((condition) => old.includes(condition))
  return same ? old : [...others, ...conditions]
}

function discovery(groups: readonly string[]): ConditionText {
  const type = 'NamespaceDeletionDiscoveryFailure'
  if (groups.length === 0)
    return { type, status: 'False', reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' }
  const message = `Discovery failed for some groups, ${groups.length} failing: ${discoveryError(groups)}`
  return { type, status: 'True', reason: 'DiscoveryFailed', message }
}

const parsed: ConditionText = {
  type: 'NamespaceDeletionGroupVersionParsingFailure',
  status: 'False',
  reason: 'ParsedGroupVersions',
  message: 'All legacy kube types successfully parsed',
}

function contentFailure(failures: readonly ContentFailure[]): ConditionText {
  const type = 'NamespaceDeletionContentFailure'
  if (failures.length === 0)
    return {
      type,
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    }
  const messages = failures.map(({ message }) => message).sort()
  return {
    type,
    status: 'True',
    reason: 'ContentDeletionFailed',
    message: `Failed to delete all resource types, ${failures.length} remaining: ${messages.join(', ')}`,
  }
}

function contentRemaining(remainders: readonly Remainder[]): ConditionText {
  const type = 'NamespaceContentRemaining'
  if (remainders.length === 0)
    return { type, status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' }
  const parts = remainders.map(
    ({ kind, objects }) => `${kind.resource}.${kind.group} has ${objects.length} resource instances`,
  )
  return {
    type,
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: `Some resources are remaining: ${parts.sort().join(', ')}`,
  }
}

function finalizersRemaining(remainders: readonly Remainder[]): ConditionText {
  const type = 'NamespaceFinalizersRemaining'
  const counts = new Map<string, number>()
  for (const { objects } of remainders)
    for (const { metadata } of objects)
      for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1)
  if (counts.size === 0)
    return {
      type,
      status: 'False',
      reason: 'ContentHasNoFinalizers',
      message: 'All content-preserving finalizers finished',
    }
  const parts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`).sort()
  return {
    type,
    status: 'True',
    reason: 'SomeFinalizersRemain',
    message: `Some content in the namespace has finalizers remaining: ${parts.join(', ')}`,
  }
}

function withTime(text: ConditionText, old: readonly NamespaceCondition[], now: number): NamespaceCondition {
  const before = old.find(({ type }) => type === text.type)
  if (before === undefined) return { ...text, lastTransitionTime: formatTime(now) }
  if (before.status === text.status && before.reason === text.reason && before.message === text.message) return before
  return {
    ...text,
    lastTransitionTime:
      before.status === text.status && before.lastTransitionTime ? before.lastTransitionTime : formatTime(now),
  }
}

/** The longest that pods of a namespace may take to end; nothing once that has passed since its deletion. */
export function graceOf(pods: readonly Pod[], { metadata }: Namespace, now: number): number {
  let most = 0
  for (const pod of pods) if (!isPodFinished(pod)) most = Math.max(most, pod.spec.terminationGracePeriodSeconds ?? 0)
  return now - (parseTime(metadata.deletionTimestamp) ?? now) >= most * 1000 ? 0 : most
}

const isHeld = ({ objects }: Remainder): boolean =>
  objects.some(({ metadata: { finalizers = [] } }) => finalizers.length > 0)

/** What is wrong with something that is left although it has neither time to end nor a finalizer. */
export function faultOf(namespace: string, remainder: Remainder): ContentFailure | undefined {
  const { kind, objects, graceSeconds = 0 } = remainder
  if (objects.length === 0 || graceSeconds > 0 || isHeld(remainder)) return undefined
  const gvr = `${kind.group}/${kind.version}, Resource=${kind.resource}`
  return { message: `unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}` }
}

/** Half of what remains may take: the grace of pods, or a while for finalizers. */
export function lookAgainMs(remainders: readonly Remainder[]): number {
  const estimate = Math.max(0, ...remainders.map(({ graceSeconds = 0 }) => graceSeconds || finalizerWaitSeconds))
  return (Math.floor(estimate / 2) + 1) * 1000
}
