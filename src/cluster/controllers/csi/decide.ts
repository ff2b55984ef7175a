// Which volume a claim gets made for it, and which volumes go with their claims. Pure; names and marks are those of the
// external-provisioner.

import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#kinds'

export const provisionedBy = 'pv.kubernetes.io/provisioned-by'
export const volumeFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer'
const provisionerMark = 'volume.kubernetes.io/storage-provisioner'
/** Making a volume takes this long. */
export const provisionMs = 3000
const noProvisioner = 'kubernetes.io/no-provisioner'

/** Who is asked to make a volume for the claim; nobody for one that has or names its volume. */
export function provisionerFor({ metadata, spec, status }: PersistentVolumeClaim): string | undefined {
  const provisioner = metadata.annotations?.[provisionerMark]
  if (provisioner === noProvisioner || spec?.volumeName || status?.phase === 'Bound') return undefined
  return provisioner
}

export function newVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const { provisioner, reclaimPolicy = 'Delete', mountOptions, parameters } = storageClass
  const { accessModes = [], resources, volumeMode = 'Filesystem', storageClassName = '' } = claim.spec ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: `pvc-${uid}`,
      annotations: { [provisionedBy]: provisioner },
      finalizers: ['kubernetes.io/pv-protection', volumeFinalizer],
    },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      csi: {
        driver: provisioner,
        volumeHandle: uid,
        ...(volumeMode === 'Filesystem' ? { fsType: parameters?.['csi.storage.k8s.io/fstype'] ?? 'ext4' } : {}),
      },
      persistentVolumeReclaimPolicy: reclaimPolicy as 'Delete' | 'Retain',
      storageClassName,
      volumeMode,
      ...(mountOptions === undefined ? {} : { mountOptions }),
    },
  }
}

export const deletesVolume = ({ spec, status }: PersistentVolume): boolean =>
  status?.phase === 'Released' && spec?.persistentVolumeReclaimPolicy === 'Delete'
