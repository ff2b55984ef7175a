// Volumes of a zone are reached from nodes of that zone only, where the volume says so by its labels. A node that is in no
// zone at all takes any.

import { PersistentVolume, PersistentVolumeClaim, StorageClass, storageClassNameOf } from '#kinds'
import type { Cache } from '#reconcile'
import { type FilterPlugin, hint } from '../plugin.ts'
import { type Refusal, refuseForGood } from '../refusal.ts'

const elsewhere = refuseForGood('node(s) had no available volume zone')
const noVolume = refuseForGood('PersistentVolume had no name')
const noClass = refuseForGood('PersistentVolumeClaim had no pv name and storageClass name')

/** Old names of the labels, and what they are called now. */
const topologyLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
}
const labelNames = Object.keys(topologyLabels)

interface Topology {
  readonly key: string
  readonly values: ReadonlySet<string>
}

/** A volume that is in several zones names them all, with two underscores between them. */
const topologiesOf = ({ metadata }: PersistentVolume): readonly Topology[] =>
  Object.entries(metadata.labels ?? {}).flatMap(([key, value]) =>
    topologyLabels[key] === undefined ? [] : [{ key, values: new Set(value.split('__')) }],
  )

const zonesOf = (volume: PersistentVolume): string =>
  topologiesOf(volume)
    .map(({ key, values }) => `${key}=${[...values].sort().join()}`)
    .sort()
    .join(' ')

export const volumeZone: FilterPlugin = {
  name: 'VolumeZone',
  helpedBy: [
    hint('nodeAdded'),
    hint('nodeLabels'),
    hint('storageClass', (_pod, { object, old }) => {
      return old === undefined && object.volumeBindingMode === 'WaitForFirstConsumer'
    }),
    hint('claim', ({ spec, namespace }, { object: { metadata } }) => {
      const named = spec.volumes?.some(({ persistentVolumeClaim: claim }) => claim?.claimName === metadata.name)
      return metadata.namespace === namespace && named === true
    }),
    hint('volume', (_pod, { object, old }) => old === undefined || zonesOf(object) !== zonesOf(old)),
  ],
  prepareFilter({ spec, namespace }, { objects }) {
    const topologies: Topology[] = []
    for (const { persistentVolumeClaim } of spec.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue
      const found = volumeOf(
        `${namespace}/${persistentVolumeClaim.claimName}`,
        persistentVolumeClaim.claimName,
        objects,
      )
      if (found === undefined) continue
      if ('reasons' in found) return found
      topologies.push(...topologiesOf(found))
    }
    if (topologies.length === 0) return undefined
    return ({ labels }) => {
      if (!labelNames.some((name) => labels[name] !== undefined)) return undefined
      const fits = topologies.every(({ key, values }) => {
        const value = labels[key] ?? labels[topologyLabels[key] ?? key]
        return value !== undefined && values.has(value)
      })
      return fits ? undefined : elsewhere
    }
  },
}

/** The volume of a claim; undefined where there will be one only when a node is chosen. */
function volumeOf(key: string, name: string, objects: Cache): PersistentVolume | Refusal | undefined {
  const claim = objects.get(PersistentVolumeClaim, key)
  if (claim === undefined) return refuseForGood(`persistentvolumeclaim "${name}" not found`)
  const volumeName = claim.spec?.volumeName ?? ''
  if (volumeName !== '') {
    const volume = objects.get(PersistentVolume, volumeName)
    return volume ?? refuseForGood(`persistentvolume "${volumeName}" not found`)
  }
  const className = storageClassNameOf(claim)
  if (className === '') return noClass
  const storageClass = objects.get(StorageClass, className)
  if (storageClass === undefined) return refuseForGood(`storageclass.storage.k8s.io "${className}" not found`)
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer' ? undefined : noVolume
}
