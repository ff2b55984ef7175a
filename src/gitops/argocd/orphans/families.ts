// Looks through a namespace for objects that belong to no application, and for what belongs to them in turn. Costs as much
// as there are objects without an owner there, and is done once for all applications.

import { keyOf, keyText, namedTracker } from '#gitops/diff'
import { Application, claimTester, type Kind, PersistentVolumeClaim, Secret, StatefulSet } from '#kinds'
import { type AnyObject, groupOf, type KubeObject } from '#objects'
import type { Cache, Index } from '#reconcile'
import { keyOfInstance } from '../application/names.ts'
import type { Families, Family } from './orphans.ts'

const indexes = new Map<string, Index<KubeObject>>()

/** Objects that nothing owns, by namespace. */
function rootIndex(kind: Kind): Index<KubeObject> {
  const id = `${kind.group}/${kind.version}/${kind.resource}`
  const known = indexes.get(id)
  if (known !== undefined) return known
  const values = ({ metadata }: KubeObject): readonly string[] =>
    metadata.namespace === undefined || (metadata.ownerReferences ?? []).length > 0 ? [] : [metadata.namespace]
  const index: Index<KubeObject> = { name: 'gitops-roots', kind, values }
  indexes.set(id, index)
  return index
}

export interface Search {
  /** Of the cluster that is looked through. */
  readonly cache: Cache
  /** Those that are looked at, all of them followed. */
  readonly kinds: readonly Kind[]
  readonly namespace: string
  /** Where the Applications are. */
  readonly home: Cache
}

export function findFamilies({ cache, kinds, namespace, home }: Search): Families {
  const adoptions = adoptionsIn(cache, namespace)
  const byParent = new Map<string, AnyObject[]>()
  for (const { parent, child } of adoptions) byParent.set(parent, [...(byParent.get(parent) ?? []), child])
  const childrenOf = (uid: string): readonly AnyObject[] => [
    ...kinds.flatMap((kind) => cache.ownedBy(kind, uid) as readonly AnyObject[]),
    ...(byParent.get(uid) ?? []),
  ]
  const adopted = new Set(adoptions.map(({ child }) => child.metadata.uid))
  const families: Family[] = []
  for (const kind of kinds) {
    for (const root of cache.by(rootIndex(kind), namespace) as readonly AnyObject[]) {
      if (isTracked(root, home) || isBuiltIn(root) || adopted.has(root.metadata.uid)) continue
      families.push({ root, descendants: descendantsOf(root, childrenOf) })
    }
  }
  return families.sort((a, b) => byName(a.root, b.root))
}

/** An application that is still there is named by the object. */
export function isTracked(object: KubeObject, home: Cache): boolean {
  const tracker = namedTracker(object)
  return tracker !== undefined && home.get(Application, keyOfInstance(tracker)) !== undefined
}

const byName = (a: AnyObject, b: AnyObject): number => (keyText(keyOf(a)) < keyText(keyOf(b)) ? -1 : 1)

interface Adoption {
  readonly parent: string
  readonly child: AnyObject
}

const tokenType = 'kubernetes.io/service-account-token'
const accountUidAnnotation = 'kubernetes.io/service-account.uid'

/** Claims of StatefulSets and tokens of ServiceAccounts belong to them without an owner reference. */
function adoptionsIn(cache: Cache, namespace: string): readonly Adoption[] {
  const sets = cache
    .list(StatefulSet, namespace)
    .map((set) => ({ uid: set.metadata.uid ?? '', isOwn: claimTester(set) }))
  const claims = cache.list(PersistentVolumeClaim, namespace).flatMap((claim) => {
    const parent = sets.find(({ isOwn }) => isOwn(claim.metadata.name ?? ''))
    return parent === undefined ? [] : [{ parent: parent.uid, child: claim as unknown as AnyObject }]
  })
  const tokens = cache.list(Secret, namespace).flatMap((secret) => {
    const parent = secret.type === tokenType ? secret.metadata.annotations?.[accountUidAnnotation] : undefined
    return parent === undefined ? [] : [{ parent, child: secret as unknown as AnyObject }]
  })
  return [...claims, ...tokens]
}

function descendantsOf(root: AnyObject, childrenOf: (uid: string) => readonly AnyObject[]): readonly AnyObject[] {
  const found = new Map<string, AnyObject>()
  const rest = [root]
  for (let object = rest.pop(); object !== undefined; object = rest.pop()) {
    for (const child of childrenOf(object.metadata.uid ?? '')) {
      const uid = child.metadata.uid ?? ''
      if (found.has(uid) || child.metadata.namespace !== root.metadata.namespace) continue
      found.set(uid, child)
      rest.push(child)
    }
  }
  return [...found.values()].sort(byName)
}

/** Objects that every namespace has by itself. */
function isBuiltIn({ apiVersion, kind, metadata: { namespace, name } }: AnyObject): boolean {
  if (groupOf(apiVersion) !== '') return false
  return (
    (kind === 'ServiceAccount' && name === 'default') ||
    (kind === 'ConfigMap' && name === 'kube-root-ca.crt') ||
    (kind === 'Service' && name === 'kubernetes' && namespace === 'default')
  )
}
