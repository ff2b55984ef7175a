// The objects of an application and everything that came of them, down to pods and endpoint slices: by owner references,
// and by the names that Kubernetes' own controllers give. For pages; reads caches only.

import { keyOf } from '#gitops/diff'
import { healthOf } from '#gitops/health'
import { ControllerRevision, EndpointSlice, Job, type Kind, PersistentVolumeClaim, Pod, ReplicaSet } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache } from '#reconcile'
import type { Comparison } from './comparison.ts'
import { imagesOf } from './images.ts'

export interface TreeRef {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid?: string
}

export interface TreeNode extends TreeRef {
  /** Empty for the application's own objects. */
  readonly parentRefs: readonly TreeRef[]
  readonly resourceVersion?: string
  readonly createdAt?: string
  readonly health?: { readonly status: string; readonly message?: string }
  readonly info?: readonly { readonly name: string; readonly value: string }[]
  readonly images?: readonly string[]
}

export interface ResourceTree {
  readonly nodes: readonly TreeNode[]
  readonly orphanedNodes: readonly TreeNode[]
}

/** Kinds in which descendants are looked for. */
export const treeKinds: readonly Kind[] = [
  ReplicaSet,
  Pod,
  Job,
  EndpointSlice,
  ControllerRevision,
  PersistentVolumeClaim,
]

const maxDepth = 10
const maxNodes = 20_000

export function resourceTree(comparison: Comparison, cache: Cache): ResourceTree {
  const nodes: TreeNode[] = []
  const seen = new Set<string>()
  const grow = (object: AnyObject, parent: TreeRef | undefined, depth: number): void => {
    const uid = object.metadata.uid ?? ''
    if (seen.has(uid) || nodes.length >= maxNodes || depth > maxDepth) return
    seen.add(uid)
    const node = toNode(object, parent)
    nodes.push(node)
    for (const child of childrenOf(object, cache)) grow(child, refOf(object), depth + 1)
  }
  for (const { live, target, key, version } of comparison.entries) {
    if (live !== undefined) grow(live, undefined, 0)
    else if (target !== undefined) nodes.push({ ...key, version, parentRefs: [], health: { status: 'Missing' } })
  }
  return { nodes, orphanedNodes: [] }
}

function childrenOf(object: AnyObject, cache: Cache): readonly AnyObject[] {
  const uid = object.metadata.uid
  if (uid === undefined) return []
  const owned = treeKinds.flatMap((kind) => cache.ownedBy(kind, uid) as readonly AnyObject[])
  return object.kind === 'StatefulSet' ? [...owned, ...claimsOf(object, cache)] : owned
}

/** Claims of a StatefulSet bear no owner reference, but its name. */
function claimsOf(object: AnyObject, cache: Cache): readonly AnyObject[] {
  const templates =
    (
      object['spec'] as
        | { readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[] }
        | undefined
    )?.volumeClaimTemplates ?? []
  if (templates.length === 0) return []
  const prefixes = templates.map((template) => `${template.metadata?.name ?? ''}-${object.metadata.name}-`)
  return cache
    .list(PersistentVolumeClaim, object.metadata.namespace)
    .filter(({ metadata }) =>
      prefixes.some(
        (prefix) => metadata.name?.startsWith(prefix) === true && /^\d+$/.test(metadata.name.slice(prefix.length)),
      ),
    ) as unknown as readonly AnyObject[]
}

function refOf(object: AnyObject): TreeRef {
  const { uid } = object.metadata
  return {
    ...keyOf(object),
    version: object.apiVersion.slice(object.apiVersion.indexOf('/') + 1),
    ...(uid === undefined ? {} : { uid }),
  }
}

function toNode(object: AnyObject, parent: TreeRef | undefined): TreeNode {
  const { resourceVersion, creationTimestamp } = object.metadata
  const verdict = healthOf(object)
  const images = imagesOf([object])
  const info = infoOf(object)
  return {
    ...refOf(object),
    parentRefs: parent === undefined ? [] : [parent],
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
    ...(verdict === undefined
      ? {}
      : { health: { status: verdict.status, ...(verdict.message === undefined ? {} : { message: verdict.message }) } }),
    ...(info.length === 0 ? {} : { info }),
    ...(images.length === 0 ? {} : { images }),
  }
}

/** What Argo CD shows on a node: a pod's reason and ready containers, a workload's revision. */
function infoOf(object: AnyObject): readonly { readonly name: string; readonly value: string }[] {
  if (object.kind === 'Pod') return podInfo(object as unknown as Pod)
  const revision = object.metadata.annotations?.['deployment.kubernetes.io/revision']
  return object.kind === 'ReplicaSet' && revision !== undefined ? [{ name: 'Revision', value: `Rev:${revision}` }] : []
}

function podInfo({ spec, status, metadata }: Pod): readonly { readonly name: string; readonly value: string }[] {
  const statuses = status?.containerStatuses ?? []
  const waiting = statuses
    .map((each) => each.state?.waiting?.reason ?? each.state?.terminated?.reason)
    .find((reason) => reason !== undefined)
  const reason =
    metadata.deletionTimestamp === undefined ? (waiting ?? status?.reason ?? status?.phase ?? 'Unknown') : 'Terminating'
  const restarts = statuses.reduce((sum, each) => sum + (each.restartCount ?? 0), 0)
  return [
    { name: 'Status Reason', value: reason },
    ...(spec?.nodeName === undefined ? [] : [{ name: 'Node', value: spec.nodeName }]),
    { name: 'Containers', value: `${statuses.filter((each) => each.ready).length}/${spec?.containers.length ?? 0}` },
    ...(restarts > 0 ? [{ name: 'Restart Count', value: String(restarts) }] : []),
  ]
}
