// Says in the status of every ResourceQuota how much of it is used. Whether more may be used is decided at admission.
// Reads: ResourceQuotas, all namespaced kinds.  Writes: ResourceQuota status.

import { CustomResourceDefinition, isLimitedInTime, type Kind, type Pod, ResourceQuota } from '#kinds'
import { isEqual, type KubeObject, objectKey } from '#objects'
import { type Cache, done, followKind, isFollowed, type Kit, type Outcome, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { isPodFinished } from '../pods.ts'
import { builtInKinds, customKinds, resourceName } from '../resources.ts'
import { decideQuota } from './decide.ts'

const countable = builtInKinds.filter(({ namespaced, resource }) => namespaced && resource !== 'events')
/** Leases are written all the time, and hardly ever counted: they are watched like custom resources. */
const isBusy = ({ resource }: Kind): boolean => resource === 'leases'
const countedKinds = countable.filter((kind) => !isBusy(kind))

/** Every quota is counted anew this often, whatever was missed. */
const resyncMs = 300_000
const recountMs = 100

export const resourceQuotaController = defineController({
  name: 'resourcequota',
  account: 'resourcequota-controller',
  reconciles: ResourceQuota,
  watches: [
    // What admission has charged is no news: counting it again from a cache that lags would give it back.
    watching(ResourceQuota, (quota, old) =>
      old === undefined || old === quota || !isEqual(old.spec, quota.spec) ? [objectKey(quota)] : [],
    ),
    ...countedKinds.map((kind) => watching(kind, (object, old, cache) => quotasOf(kind, object, old, cache))),
  ],
  reads: [CustomResourceDefinition],
  reconcile,
})

/** Custom resources (and Leases) that the quota counts, watched from now on. */
function followedKindsOf({ spec }: ResourceQuota, kit: Kit): readonly Kind[] {
  const names = Object.keys(spec?.hard ?? {}).filter((name) => name.startsWith('count/'))
  if (names.length === 0) return []
  const wanted = new Set(names.map((name) => name.slice('count/'.length)))
  const others = [...countable.filter(isBusy), ...customKinds(kit.cache)]
  const kinds = others.filter((kind) => kind.namespaced && wanted.has(resourceName(kind)))
  for (const kind of kinds) followKind(kit, kind, (object, old, cache) => quotasOf(kind, object, old, cache))
  return kinds
}

/** Only what goes or changes what it asks for concerns quotas: what comes was charged at admission. Most namespaces have none. */
function quotasOf(kind: Kind, object: KubeObject, old: KubeObject | undefined, cache: Cache): Iterable<string> {
  const quotas = cache.list(ResourceQuota, object.metadata.namespace)
  if (quotas.length === 0) return []
  const comes = old === undefined && cache.get(kind, objectKey(object)) !== undefined
  if (comes || (old !== undefined && !changesUsage(kind, object, old))) return []
  return quotas.map(objectKey)
}

function changesUsage(kind: Kind, object: KubeObject, old: KubeObject): boolean {
  if (kind.resource === 'pods') {
    const [pod, before] = [object as Pod, old as Pod]
    return (
      isPodFinished(pod) !== isPodFinished(before) ||
      pod.spec.containers !== before.spec.containers ||
      isLimitedInTime(pod) !== isLimitedInTime(before)
    )
  }
  return kind.resource === 'services' || kind.resource === 'persistentvolumeclaims'
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const quota = kit.cache.get(ResourceQuota, key)
  if (quota === undefined) return done()
  const { namespace = '' } = quota.metadata
  const followed = followedKindsOf(quota, kit)
  // Before a kind has been listed, there seem to be none.
  if (followed.some((kind) => !isFollowed(kit, kind))) return requeueAfter(recountMs)
  const status = decideQuota(quota, {
    list: (kind) => kit.cache.list(kind, namespace),
    kindNamed: (resource) => [...countedKinds, ...followed].find((kind) => resourceName(kind) === resource),
    now: kit.world.clock.now(),
  })
  if (status !== quota.status) await kit.client.updateStatus(ResourceQuota, { ...quota, status })
  // What came while nothing was charged yet may not have been in the cache at the first count.
  return requeueAfter(isEqual(quota.status?.hard, status.hard) ? resyncMs : recountMs)
}
