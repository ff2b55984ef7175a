// Plays the add-on by which most clusters come with a default StorageClass: makes one where there is none when the cluster
// begins. Taken away by somebody, it stays away until the next start.
// Reads: Namespaces, StorageClasses.  Writes: StorageClasses.

import { isAlreadyExists } from '#api'
import { Namespace, StorageClass } from '#kinds'
import { done, type LoopDefinition, watching } from '#reconcile'
import { defineController } from '../define.ts'

const isDefault = 'storageclass.kubernetes.io/is-default-class'
const system = 'kube-system'

const standard: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { [isDefault]: 'true' } },
  provisioner: 'disk.csi.homeostat.dev',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
}

export const defaultStorageClassAddon: LoopDefinition = defineController({
  name: 'default-storage-class',
  account: 'addon-manager',
  manager: 'addon-manager',
  reconciles: Namespace,
  // Only its being there: nothing that happens to it later.
  watches: [
    watching(Namespace, ({ metadata }, old) => (old === undefined && metadata.name === system ? [system] : [])),
  ],
  reads: [StorageClass],
  async reconcile(_key, { cache, client }) {
    if (cache.list(StorageClass).some(({ metadata }) => metadata.annotations?.[isDefault] === 'true')) return done()
    try {
      await client.create(StorageClass, standard)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    return done()
  },
})
