// DefaultStorageClass: a claim that names no class gets the default one, if there is any.
// Reads: StorageClass.

import { type PersistentVolumeClaim, StorageClass } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest, AdmissionState } from '../plugin.ts'

const isDefault = 'storageclass.kubernetes.io/is-default-class'
const betaIsDefault = 'storageclass.beta.kubernetes.io/is-default-class'
const betaClass = 'volume.beta.kubernetes.io/storage-class'

/** Of several defaults the newest wins, then the first by name. */
function defaultClass(state: AdmissionState): string | undefined {
  const [found] = state
    .list(StorageClass)
    .filter(
      ({ metadata }) =>
        metadata.annotations?.[isDefault] === 'true' || metadata.annotations?.[betaIsDefault] === 'true',
    )
    .toSorted((a, b) => {
      const [x = '', y = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
      return x === y ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : x > y ? -1 : 1
    })
  return found?.metadata.name
}

function mutate(object: AnyObject, { operation, subresource }: AdmissionRequest, state: AdmissionState): AnyObject {
  if (operation !== 'CREATE' || subresource !== '') return object
  const claim = object as unknown as PersistentVolumeClaim
  if (claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[betaClass] !== undefined) return object
  const storageClassName = defaultClass(state)
  return storageClassName === undefined ? object : { ...object, spec: { ...claim.spec, storageClassName } }
}

export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  resources: ['persistentvolumeclaims'],
  mutate,
}
