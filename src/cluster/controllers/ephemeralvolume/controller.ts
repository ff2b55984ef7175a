// Makes the claims of ephemeral volumes, which live and die with their pod.
// Reads: Pods, PersistentVolumeClaims.  Writes: PersistentVolumeClaims (create).

import { isAlreadyExists } from '#api'
import { PersistentVolumeClaim, Pod, type Volume } from '#kinds'
import { objectKey } from '#objects'
import { done, isTerminating, type Kit, type Outcome, recordEvent, watching } from '#reconcile'
import { controllerReference } from '../claims.ts'
import { defineController } from '../define.ts'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
import { controllerOf } from '../pods.ts'

export const ephemeralVolumeController = defineController({
  name: 'ephemeralvolume',
  account: 'ephemeral-volume-controller',
  reconciles: Pod,
  watches: [
    watching(Pod, (pod) => (ephemeralVolumes(pod).length > 0 ? [objectKey(pod)] : [])),
    watching(PersistentVolumeClaim, ({ metadata }) =>
      (metadata.ownerReferences ?? [])
        .filter(({ kind }) => kind === 'Pod')
        .map(({ name }) => `${metadata.namespace}/${name}`),
    ),
  ],
  reconcile,
})

const none: readonly Volume[] = []

const ephemeralVolumes = ({ spec }: Pod): readonly Volume[] =>
  spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true
    ? spec.volumes.filter(({ ephemeral }) => ephemeral !== undefined)
    : none

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const pod = kit.cache.get(Pod, key)
  if (pod === undefined || isTerminating(pod)) return done()
  for (const volume of ephemeralVolumes(pod)) {
    const why = await keepClaim(kit, pod, claimOf(pod, volume))
    if (why === undefined) continue
    const message = `ephemeral volume ${volume.name}: ${why}`
    recordEvent(kit, { object: pod, component: 'ephemeral_volume', type: 'Warning', reason: 'FailedBinding', message })
    throw new Error(`pod ${key}, ${message}`)
  }
  return done()
}

/** Answers why there is no claim for the pod. */
async function keepClaim(kit: Kit, pod: Pod, claim: PersistentVolumeClaim): Promise<string | undefined> {
  const existing = kit.cache.get(PersistentVolumeClaim, objectKey(claim))
  if (existing === undefined) return create(kit, claim)
  const isOurs = controllerOf(existing)?.uid === pod.metadata.uid
  return isOurs ? undefined : `PVC ${objectKey(claim)} was not created for pod ${objectKey(pod)} (pod is not owner)`
}

function claimOf(pod: Pod, { name, ephemeral }: Volume): PersistentVolumeClaim {
  const { metadata, spec } = ephemeral?.volumeClaimTemplate ?? { spec: {} }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${pod.metadata.name}-${name}`,
      namespace: pod.metadata.namespace ?? '',
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(Pod, pod)],
    },
    spec,
  }
}

async function create(kit: Kit, claim: PersistentVolumeClaim): Promise<string | undefined> {
  try {
    await kit.client.create(PersistentVolumeClaim, claim)
    return undefined
  } catch (error) {
    if (isAlreadyExists(error) || isNamespaceTerminating(error)) return undefined
    return `create PVC ${claim.metadata.name}: ${messageOf(error)}`
  }
}
