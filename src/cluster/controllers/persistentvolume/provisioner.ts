// Who makes the volumes of a class, and how claims and volumes name him. What used to be built into Kubernetes has moved to
// drivers of its own; what still names the old one is marked with the driver that took over. Pure.

import type { PersistentVolume, PersistentVolumeClaim } from '#kinds'

const provisionerMark = 'volume.kubernetes.io/storage-provisioner'
const oldProvisionerMark = 'volume.beta.kubernetes.io/storage-provisioner'
export const provisionedBy = 'pv.kubernetes.io/provisioned-by'
const migratedTo = 'pv.kubernetes.io/migrated-to'

/** What is built in still, by the source of a volume. Only the first makes and deletes volumes. */
export const hostPathPlugin = 'kubernetes.io/host-path'
export const plugins: Readonly<Record<string, string>> = {
  hostPath: hostPathPlugin,
  nfs: 'kubernetes.io/nfs',
  local: 'kubernetes.io/local-volume',
  csi: 'kubernetes.io/csi',
}

/** Drivers that took over what used to be built in. */
const drivers: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
}

export const currentProvisioner = (provisioner: string): string => drivers[provisioner] ?? provisioner

/** Whether somebody outside Kubernetes has taken over the volume. */
export const isMigrated = ({ metadata }: PersistentVolume): boolean => Boolean(metadata.annotations?.[migratedTo])

/** The claim with the name of whoever is asked for its volume; the same claim when it has it. */
export function markedForProvisioner(claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim {
  if (claim.metadata.annotations?.[provisionerMark] === provisioner) return claim
  return annotated(claim, {
    ...claim.metadata.annotations,
    [oldProvisionerMark]: provisioner,
    [provisionerMark]: provisioner,
  })
}

export const withClaimMigration = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  withMigration(
    claim,
    claim.metadata.annotations?.[provisionerMark] ?? claim.metadata.annotations?.[oldProvisionerMark],
  )

export const withVolumeMigration = (volume: PersistentVolume): PersistentVolume =>
  withMigration(volume, volume.metadata.annotations?.[provisionedBy])

/** The object with, or without, the name of the driver that took over from `provisioner`; the same object when it is right. */
function withMigration<T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  provisioner: string | undefined,
): T {
  const { [migratedTo]: named, ...others } = object.metadata.annotations ?? {}
  if (provisioner === undefined || drivers[provisioner] === named) return object
  const driver = drivers[provisioner]
  return annotated(object, driver === undefined ? others : { ...others, [migratedTo]: driver })
}

const annotated = <T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  annotations: Readonly<Record<string, string>>,
): T => ({ ...object, metadata: { ...object.metadata, annotations } })
