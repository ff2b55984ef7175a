// The kubelets' loop for pods: each pod is a small machine (PodRun) that says what is to be told and when it wants to be
// woken; here it meets the API.
// Reads: Pods, Nodes, ConfigMaps, Secrets, claims, volumes, profiles.  Writes: Pod.status, the deletion of pods that have
// ended, mirrors of static pods, Events.

import {
  ConfigMap,
  CSIDriver,
  Node,
  NodeProfile,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  RuntimeClass,
  Secret,
  ServiceAccount,
  WorkloadProfile,
} from '#kinds'
import { isEqual, objectKey } from '#objects'
import { done, type Kit, type LoopDefinition, type Outcome, watching } from '#reconcile'
import type { Fleet } from '../fleet/fleet.ts'
import type { NodeProfiles } from '../profiles/node-profiles.ts'
import { type Desk, keepPod } from './keeping.ts'
import { keepStatic } from './static-keeping.ts'

/** What could not be reported is reported within ten seconds after the API server is back. */
const reportBackoff = { firstMs: 100, maxMs: 10_000 }

/** Stands for the folders of all nodes that hold manifests of static pods. */
const manifestsKey = 'manifests'

const none: readonly string[] = []

export const podLoop = (fleet: Fleet): LoopDefinition => ({
  name: 'kubelet',
  user: 'system:node:homeostat',
  manager: 'kubelet',
  reconciles: Pod,
  watches: [
    watching(Pod, (pod, _old, cache) => {
      if (!fleet.names.has(pod.spec.nodeName ?? '')) return none
      const key = objectKey(pod)
      // What the kubelet has written itself it has seen already.
      return fleet.floorAt(cache)?.hasSeen(pod) === true && cache.get(Pod, key) === pod ? none : [key]
    }),
    // Every pod that runs: its probes may find something else now.
    watching(WorkloadProfile, () => {
      fleet.profilesChanged = true
      return fleet.present?.floor.keys() ?? []
    }),
    watching(NodeProfile, () => [manifestsKey]),
    watching(Node, ({ metadata }, old) =>
      fleet.profiles.version === 0 || isEqual(metadata.labels, old?.metadata.labels) ? none : [manifestsKey],
    ),
  ],
  reads: [ConfigMap, Secret, ServiceAccount, PersistentVolumeClaim, PersistentVolume, CSIDriver, RuntimeClass],
  startKeys: [manifestsKey],
  wakes: (wake) => {
    fleet.wakePod = wake
    return () => {}
  },
  workers: 16,
  backoff: reportBackoff,
  reconcile(key, kit) {
    const floor = fleet.enter(kit)
    if (fleet.profilesChanged) {
      fleet.profilesChanged = false
      fleet.workloads.use(kit.cache.list(WorkloadProfile))
    }
    const desk = { floor, wake: (other: string) => fleet.wakePod(other) }
    if (key === manifestsKey) return readManifests(desk, kit, fleet.profiles)
    return floor.isStaticKey(key, kit.cache.get(Pod, key)) ? keepStatic(key, kit, desk) : keepPod(key, kit, desk)
  },
})

async function readManifests({ floor, wake }: Desk, { cache }: Kit, profiles: NodeProfiles): Promise<Outcome> {
  profiles.use(cache.list(NodeProfile))
  for (const key of floor.readManifests()) wake(key)
  return done()
}
