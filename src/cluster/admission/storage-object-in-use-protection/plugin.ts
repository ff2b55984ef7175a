// StorageObjectInUseProtection: claims, volumes and classes of their attributes are held by a finalizer, which their
// controllers take off when nobody uses them any more.

import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest } from '../plugin.ts'

const finalizers: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
  volumeattributesclasses: 'kubernetes.io/vac-protection',
}

function mutate(object: AnyObject, { operation, subresource, resource }: AdmissionRequest): AnyObject {
  const finalizer = finalizers[resource.resource]
  const present = object.metadata.finalizers ?? []
  if (operation !== 'CREATE' || subresource !== '' || finalizer === undefined || present.includes(finalizer))
    return object
  return { ...object, metadata: { ...object.metadata, finalizers: [...present, finalizer] } }
}

export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  resources: Object.keys(finalizers),
  mutate,
}
