// Volumes of a zone are reached from nodes of that zone only, where the volume says so by its labels.

import { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { type FilterPlugin, refuseForGood } from '../plugin.ts'
import { claimKeys } from '../pods-by-claim.ts'

const elsewhere = refuseForGood('node(s) had no available volume zone')

/** Old names of the labels, and what they are called now. */
const topologyLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
}

interface Topology {
  readonly key: string
  readonly values: ReadonlySet<string>
}

/** A volume that is in several zones names them all, with two underscores between them. */
const topologiesOf = ({ metadata }: PersistentVolume): readonly Topology[] =>
  Object.entries(metadata.labels ?? {}).flatMap(([key, value]) =>
    topologyLabels[key] === undefined ? [] : [{ key, values: new Set(value.split('__')) }],
  )

export const volumeZone: FilterPlugin = {
  name: 'VolumeZone',
  helpedBy: ['volume', 'node'],
  prepareFilter({ spec, namespace, pod }, { objects }) {
    const topologies = claimKeys(spec, namespace, pod.metadata.name ?? '').flatMap((key) => {
      const name = objects.get(PersistentVolumeClaim, key)?.spec?.volumeName ?? ''
      const volume = name === '' ? undefined : objects.get(PersistentVolume, name)
      return volume === undefined ? [] : topologiesOf(volume)
    })
    if (topologies.length === 0) return undefined
    return ({ labels }) => {
      const fits = topologies.every(({ key, values }) => {
        const value = labels[key] ?? labels[topologyLabels[key] ?? key]
        return value !== undefined && values.has(value)
      })
      return fits ? undefined : elsewhere
    }
  },
}
