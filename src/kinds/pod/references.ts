// What a pod refers to in its namespace: what the Node authoriser lets its node read (pkg/api/pod VisitPodSecretNames and
// its like).

import type { Container, Pod, Volume } from '../generated/types.ts'

export interface Reference {
  readonly resource: 'secrets' | 'configmaps' | 'persistentvolumeclaims'
  readonly name: string
}

export function referencedObjects({ metadata, spec }: Pod): readonly Reference[] {
  const found: Reference[] = []
  const add = (resource: Reference['resource'], name: string | undefined): void => {
    if (name !== undefined && name !== '') found.push({ resource, name })
  }
  for (const { name } of spec.imagePullSecrets ?? []) add('secrets', name)
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])]
  for (const container of containers) addVariables(container as Container, add)
  for (const volume of spec.volumes ?? []) addVolume(volume, metadata.name ?? '', add)
  return found
}

type Add = (resource: Reference['resource'], name: string | undefined) => void

function addVariables({ env, envFrom }: Container, add: Add): void {
  for (const { secretRef, configMapRef } of envFrom ?? []) {
    add('secrets', secretRef?.name)
    add('configmaps', configMapRef?.name)
  }
  for (const { valueFrom } of env ?? []) {
    add('secrets', valueFrom?.secretKeyRef?.name)
    add('configmaps', valueFrom?.configMapKeyRef?.name)
  }
}

function addVolume(volume: Volume, pod: string, add: Add): void {
  add('secrets', volume.secret?.secretName)
  add('configmaps', volume.configMap?.name)
  add('persistentvolumeclaims', volume.persistentVolumeClaim?.claimName)
  if (volume.ephemeral !== undefined) add('persistentvolumeclaims', `${pod}-${volume.name}`)
  add('secrets', volume.csi?.nodePublishSecretRef?.name)
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    add('secrets', secret?.name)
    add('configmaps', configMap?.name)
  }
}
