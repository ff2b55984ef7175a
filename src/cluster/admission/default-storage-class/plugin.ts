// DefaultStorageClass: a claim that names no class gets the default one, if there is any.
// Reads: StorageClass.

import { defaultStorageClass as defaultOf, oldClassAnnotation, type PersistentVolumeClaim, StorageClass } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest, AdmissionState } from '../plugin.ts'

function mutate(object: AnyObject, { operation, subresource }: AdmissionRequest, state: AdmissionState): AnyObject {
  if (operation !== 'CREATE' || subresource !== '') return object
  const claim = object as unknown as PersistentVolumeClaim
  if (claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[oldClassAnnotation] !== undefined)
    return object
  const storageClassName = defaultOf(state.list(StorageClass))?.metadata.name
  return storageClassName === undefined ? object : { ...object, spec: { ...claim.spec, storageClassName } }
}

export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  resources: ['persistentvolumeclaims'],
  mutate,
}
