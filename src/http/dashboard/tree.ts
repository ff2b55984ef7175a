// The resource tree of an application: what it manages, and what loops made of that, found by owner references and, for
// Endpoints and claims, by name. Nodes are Argo CD's ResourceNode. Reads what it is given to read with, and nothing else.

import type { Verdict } from '#gitops'
import {
  type Application,
  ControllerRevision,
  CustomResourceDefinition,
  claimTester,
  EndpointSlice,
  Endpoints,
  Job,
  type Kind,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  type StatefulSet,
} from '#kinds'
import { type AnyObject, groupOf, type KubeObject } from '#objects'
import type { Cache } from '#reconcile'
import { podFacts, replicaSetFacts } from './tree-facts.ts'
import { type HostInfo, hostsOf } from './tree-hosts.ts'
import { networkingInfo } from './tree-network.ts'
import type { NodeRef, TreeNode } from './tree-node.ts'

export interface Tree {
  readonly nodes: readonly TreeNode[]
  readonly orphanedNodes: readonly TreeNode[]
  readonly hosts: readonly HostInfo[]
  readonly shardsCount: number
}

/** What children can be of. Their changes are what changes a tree. */
export const childKinds: readonly Kind<never>[] = [
  ReplicaSet,
  ControllerRevision,
  Job,
  Pod,
  EndpointSlice,
  Endpoints,
  PersistentVolumeClaim,
] as unknown as readonly Kind<never>[]

/** Kinds that the tree, and whoever asks for kinds by name, reads from the cache. */
export const treeKinds: readonly Kind[] = [...(childKinds as readonly Kind[]), CustomResourceDefinition, Node]

/** Owners of owners of …: a bound against cycles. */
const depthMax = 10

export interface TreeReader {
  readonly cache: Cache
  /** One managed object; undefined when it is missing. */
  read(ref: NodeRef): Promise<AnyObject | undefined>
  readonly healthOf: (object: AnyObject) => Promise<Verdict | undefined>
  /** Objects beside the application's that belong to nobody. */
  readonly orphans: readonly AnyObject[]
}

/** As long as its cluster cannot be reached, only what was known last is there, and how that is nobody knows. */
export function unseenTree({ status }: Application): Tree {
  const nodes = (status?.resources ?? []).map(({ group = '', version = '', kind, namespace = '', name }) => ({
    ...{ group, version, kind, namespace, name },
    health: { status: 'Unknown' },
  }))
  return { nodes, orphanedNodes: [], hosts: [], shardsCount: 0 }
}

export async function treeOf(application: Application, reader: TreeReader): Promise<Tree> {
  const nodes = new Map<string, TreeNode>()
  for (const resource of application.status?.resources ?? []) {
    const { group = '', version = '', kind, namespace = '', name } = resource
    const ref = { group, version, kind, namespace, name }
    const object = await reader.read(ref)
    if (object === undefined) nodes.set(`missing ${group}/${kind} ${namespace}/${name}`, missing(ref))
    else await addWithChildren(nodes, reader, { object, parents: [], depth: 0 })
  }
  const all = [...nodes.values()]
  const hosts = hostsOf(reader.cache, all)
  return { nodes: all, orphanedNodes: await orphanedNodes(reader), hosts, shardsCount: 0 }
}

async function orphanedNodes({ orphans, healthOf }: TreeReader): Promise<readonly TreeNode[]> {
  const byUid = new Map(orphans.map((object) => [object.metadata.uid, object]))
  const nodes: TreeNode[] = []
  for (const object of orphans) {
    const owners = (object.metadata.ownerReferences ?? []).flatMap(({ uid }) => byUid.get(uid) ?? [])
    nodes.push(nodeOf(object, owners.map(refOf), await healthOf(object)))
  }
  return nodes
}

interface Visit {
  readonly object: AnyObject
  readonly parents: readonly NodeRef[]
  readonly depth: number
}

async function addWithChildren(nodes: Map<string, TreeNode>, reader: TreeReader, visit: Visit): Promise<void> {
  const { object, parents, depth } = visit
  const uid = object.metadata.uid ?? ''
  // The same object may be managed and owned by another managed one: it keeps its parents.
  const known = nodes.get(uid)
  if (known !== undefined && (parents.length === 0 || known.parentRefs !== undefined)) return
  nodes.set(uid, nodeOf(object, parents, await reader.healthOf(object)))
  if (depth >= depthMax) return
  const parent = refOf(object)
  for (const child of childrenOf(object, reader.cache))
    await addWithChildren(nodes, reader, { object: child, parents: [parent], depth: depth + 1 })
}

function childrenOf(object: AnyObject, cache: Cache): readonly AnyObject[] {
  const uid = object.metadata.uid
  if (uid === undefined) return []
  const children: KubeObject[] = childKinds.flatMap((kind) => cache.ownedBy(kind as Kind, uid))
  if (object.kind === 'Service' && object.apiVersion === 'v1') {
    const endpoints = cache.get(Endpoints, `${object.metadata.namespace}/${object.metadata.name}`)
    if (endpoints !== undefined) children.push(endpoints)
  }
  if (object.kind === 'StatefulSet') children.push(...claimsOf(object, cache))
  return children as AnyObject[]
}

function claimsOf(set: AnyObject, cache: Cache): readonly PersistentVolumeClaim[] {
  const isOwn = claimTester(set as unknown as StatefulSet)
  return cache.list(PersistentVolumeClaim, set.metadata.namespace).filter(({ metadata }) => isOwn(metadata.name ?? ''))
}

export function refOf(object: KubeObject): NodeRef {
  const { namespace = '', name = '', uid } = object.metadata
  const group = groupOf(object.apiVersion)
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)
  return { group, version, kind: object.kind, namespace, name, ...(uid === undefined ? {} : { uid }) }
}

function nodeOf(object: AnyObject, parents: readonly NodeRef[], health: Verdict | undefined): TreeNode {
  const { resourceVersion, creationTimestamp } = object.metadata
  const network = networkingInfo(object)
  return {
    ...refOf(object),
    ...(parents.length === 0 ? {} : { parentRefs: parents }),
    ...(object.kind === 'Pod' ? podFacts(object as unknown as Pod) : {}),
    ...(object.kind === 'ReplicaSet' ? replicaSetFacts(object) : {}),
    ...(network === undefined ? {} : { networkingInfo: network }),
    ...(health === undefined ? {} : { health: { status: health.status, ...messageOf(health.message) } }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
  }
}

const messageOf = (message: string | undefined): { readonly message?: string } =>
  message === undefined ? {} : { message }

const missing = (ref: NodeRef): TreeNode => ({ ...ref, health: { status: 'Missing' } })
