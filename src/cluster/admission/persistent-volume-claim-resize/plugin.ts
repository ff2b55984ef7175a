// PersistentVolumeClaimResize: a claim grows only when its class says that its volumes can. (That it must be bound is a rule
// of the kind.)
// Reads: StorageClass.

import { type PersistentVolumeClaim, StorageClass, storageClassNameOf } from '#kinds'
import { compareQuantity } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'

const sizeOf = ({ spec }: PersistentVolumeClaim) => spec?.resources?.requests?.['storage'] ?? 0

function validate(request: AdmissionRequest, state: AdmissionState): void {
  const { operation, subresource, object, old } = request
  if (operation !== 'UPDATE' || subresource !== '' || object === undefined || old === undefined) return
  if (object['spec'] === old['spec']) return
  const [claim, before] = [object, old] as unknown as readonly [PersistentVolumeClaim, PersistentVolumeClaim]
  if (compareQuantity(sizeOf(claim), sizeOf(before)) <= 0) return
  const name = storageClassNameOf(claim)
  const growing = name === '' || name !== storageClassNameOf(before) ? undefined : state.get(StorageClass, '', name)
  if (growing?.allowVolumeExpansion === true) return
  throw refuse(
    request,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  )
}

export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  resources: ['persistentvolumeclaims'],
  validate,
}
