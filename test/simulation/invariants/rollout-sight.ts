// What the deployment controller saw when its reconcile began, and what Kubernetes lets it do with that: a step of a rollout,
// or (while it is paused, or its own size has changed since its ReplicaSets were last resized) sizes and nothing else.

import type { Deployment, ReplicaSet } from '#kinds'
import { isEqual } from '#objects'
import { rollingLimits } from './limits.ts'

export interface SeenSet {
  readonly name: string
  readonly uid: string
  readonly replicas: number
  readonly available: number
  /** Pods of it that its status tells of, or that were seen and had not ended. */
  readonly isAtWork: boolean
  readonly createdAt: string
  readonly isNewest: boolean
  /** The sizes of the Deployment when it was last resized: wanted, and with surge. */
  readonly desired: number | undefined
  readonly most: number | undefined
}

/** What may become of the ReplicaSets. Sizes that are not named stay. */
export type Plan =
  | { readonly way: 'nothing' }
  | { readonly way: 'rollout'; readonly isRecreate: boolean; readonly newest: string | undefined }
  /** One ReplicaSet takes the whole size, or those that are left over lose theirs. */
  | { readonly way: 'exactly'; readonly sizes: ReadonlyMap<string, number> }
  | { readonly way: 'in proportion'; readonly shares: ReadonlyMap<string, Share>; readonly allowed: number }

/** The size in proportion, and where no more than one may take what rounding leaves over, who that can be. */
interface Share {
  readonly before: number
  readonly size: number
  readonly mayTakeRest: boolean
}

const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas'
const mostAnnotation = 'deployment.kubernetes.io/max-replicas'
const hashLabel = 'pod-template-hash'

export const wantedOf = ({ spec }: Deployment): number => spec.replicas ?? 1

export const isRecreate = ({ spec }: Deployment): boolean => spec.strategy?.type === 'Recreate'

export const limitsOf = (deployment: Deployment): { readonly most: number; readonly least: number } =>
  rollingLimits(wantedOf(deployment), deployment.spec.strategy?.rollingUpdate)

export function seenSets(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  runs: (set: ReplicaSet) => boolean,
): readonly SeenSet[] {
  const newest = sets.filter((set) => isOfTemplate(set, deployment)).sort(oldestFirst)[0]
  return sets.map((set) => ({
    name: set.metadata.name ?? '',
    uid: set.metadata.uid ?? '',
    replicas: set.spec.replicas ?? 1,
    available: set.status?.availableReplicas ?? 0,
    isAtWork: (set.status?.replicas ?? 0) > 0 || runs(set),
    createdAt: set.metadata.creationTimestamp ?? '',
    isNewest: set === newest,
    desired: numberIn(set, desiredAnnotation),
    most: numberIn(set, mostAnnotation),
  }))
}

function isOfTemplate({ spec }: ReplicaSet, deployment: Deployment): boolean {
  const plain = (template: ReplicaSet['spec']['template']): object => {
    const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {}
    return { labels, annotations: template?.metadata?.annotations ?? {}, spec: template?.spec }
  }
  return isEqual(plain(spec.template), plain(deployment.spec.template))
}

const oldestFirst = (a: ReplicaSet, b: ReplicaSet): number => {
  const key = ({ metadata }: ReplicaSet): string => `${metadata.creationTimestamp} ${metadata.name}`
  return key(a) < key(b) ? -1 : 1
}

function numberIn({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation]
  return text === undefined ? undefined : Number(text)
}

/** Follows syncDeployment, isScalingEvent and scale of Kubernetes' deployment controller. */
export function planOf(deployment: Deployment, sets: readonly SeenSet[]): Plan {
  const wanted = wantedOf(deployment)
  const newest = sets.find(({ isNewest }) => isNewest)
  const active = sets.filter(({ replicas }) => replicas > 0)
  const isScaled = active.some(({ desired }) => desired !== undefined && desired !== wanted)
  if (deployment.metadata.deletionTimestamp !== undefined) return { way: 'nothing' }
  if (deployment.spec.paused !== true && !isScaled)
    return { way: 'rollout', isRecreate: isRecreate(deployment), newest: newest?.name }
  if (active.length <= 1) {
    const only = active[0] ?? newest ?? [...sets].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).at(-1)
    return { way: 'exactly', sizes: new Map(only === undefined ? [] : [[only.name, wanted]]) }
  }
  const isSaturated =
    newest !== undefined && [newest.replicas, newest.desired, newest.available].every((size) => size === wanted)
  if (isSaturated)
    return { way: 'exactly', sizes: new Map(active.filter((set) => set !== newest).map(({ name }) => [name, 0])) }
  return isRecreate(deployment) ? { way: 'nothing' } : inProportion(deployment, active)
}

function inProportion(deployment: Deployment, active: readonly SeenSet[]): Plan {
  const wanted = wantedOf(deployment)
  const allowed = wanted === 0 ? 0 : limitsOf(deployment).most
  if (active.reduce((sum, { replicas }) => sum + replicas, 0) === allowed) return { way: 'nothing' }
  const largest = Math.max(...active.map(({ replicas }) => replicas))
  const shareOf = ({ replicas, most }: SeenSet): Share => {
    const before = most || (deployment.status?.replicas ?? 0)
    const share = allowed === 0 ? 0 : before === 0 ? replicas : Math.round((replicas * allowed) / before)
    return { before: replicas, size: share, mayTakeRest: replicas === largest }
  }
  return { way: 'in proportion', shares: new Map(active.map((set) => [set.name, shareOf(set)])), allowed }
}
