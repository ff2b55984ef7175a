// What says that pods, claims, volumes and classes belong together: the names of claims, the class that is asked for, the
// reference of a volume to its claim, the marks of a binding. Asked by the loops that bind, by the scheduler and by tables.

import type { PersistentVolume, PersistentVolumeClaim, PodSpec, Volume } from '../generated/types.ts'

export const oldClassAnnotation = 'volume.beta.kubernetes.io/storage-class'
/** On a claim: the node that was chosen for its first pod. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node'
/** On a claim that has its volume for good. */
export const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed'
/** On a volume or a claim: nobody asked for the other one by name. */
export const boundByControllerAnnotation = 'pv.kubernetes.io/bound-by-controller'

/** Empty: none. */
export const storageClassNameOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.annotations?.[oldClassAnnotation] ?? spec?.storageClassName ?? ''

/** The claim that a volume of a pod uses, if only one that is made for the pod; undefined: none. */
export const claimNameOf = ({ name, persistentVolumeClaim, ephemeral }: Volume, podName: string): string | undefined =>
  persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`)

const none: readonly string[] = []

/** `namespace/name` of the claims that a pod uses, those of its ephemeral volumes included. */
export function claimKeys({ volumes }: PodSpec, namespace: string, podName: string): readonly string[] {
  // Nearly all pods have volumes, few have claims.
  if (volumes?.some((volume) => claimNameOf(volume, podName) !== undefined) !== true) return none
  return volumes.flatMap((volume) => {
    const claim = claimNameOf(volume, podName)
    return claim === undefined ? [] : [`${namespace}/${claim}`]
  })
}

export function referenceToClaim({ metadata }: PersistentVolumeClaim) {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion }
}

/** The volume was made for this claim, by name and, once it is bound, by uid. */
export function isMadeFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef
  return (
    reference !== undefined &&
    reference.namespace === metadata.namespace &&
    reference.name === metadata.name &&
    ((reference.uid ?? '') === '' || reference.uid === metadata.uid)
  )
}
