// Which volumes have to be attached to a node before they are mounted, and what a node's status calls them: asked by the
// loop that attaches and by the kubelets that wait for it.

import type { CSIDriver, PersistentVolume } from '../generated/types.ts'

export interface AttachableVolume {
  readonly volume: string
  readonly driver: string
  readonly handle: string
}

/** Undefined for volumes that need no attaching: they are not of a CSI driver, or their driver says so. */
export function attachable(
  { metadata, spec }: PersistentVolume,
  driverOf: (name: string) => CSIDriver | undefined,
): AttachableVolume | undefined {
  const csi = spec?.csi
  if (csi === undefined || driverOf(csi.driver)?.spec.attachRequired === false) return undefined
  return { volume: metadata.name ?? '', driver: csi.driver, handle: csi.volumeHandle }
}

/** How a node's status calls a volume. */
export const uniqueVolumeName = ({ driver, handle }: AttachableVolume): string =>
  `kubernetes.io/csi/${driver}^${handle}`
