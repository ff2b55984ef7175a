// What the API server takes out of a pod spec because the feature behind it is off by default in 1.34: bundles of trust and
// certificates in projected volumes, volumes that are images, variables from files, stop signals, restart policies of single
// containers, a host name of its own.

import type { Container, EnvVar, PodSpec, Volume, VolumeProjection } from '../generated/types.ts'
import { mapShared, withDefaults, without } from '../sharing.ts'

type ContainerList = 'containers' | 'initContainers' | 'ephemeralContainers'

export function withoutDisabled(given: PodSpec): PodSpec {
  const spec = withoutImageVolumes(given)
  const change = (list: ContainerList): readonly Container[] | undefined =>
    spec[list] && mapShared<Container>(spec[list], (container) => withoutDisabledParts(container, list))
  return withDefaults(without(spec, 'hostnameOverride'), {
    volumes: spec.volumes && mapShared(spec.volumes, withoutDisabledSources),
    containers: change('containers'),
    initContainers: change('initContainers'),
    ephemeralContainers: change('ephemeralContainers') as PodSpec['ephemeralContainers'],
  })
}

/** They go with all that mounts them. */
function withoutImageVolumes(spec: PodSpec): PodSpec {
  const images = new Set((spec.volumes ?? []).flatMap(({ name, image }) => (image == null ? [] : [name])))
  if (images.size === 0) return spec
  const volumes = spec.volumes?.filter(({ name }) => !images.has(name)) ?? []
  const kept = (container: Container): Container => {
    const volumeMounts = container.volumeMounts?.filter(({ name }) => !images.has(name)) ?? []
    return volumeMounts.length === 0 ? without(container, 'volumeMounts') : { ...container, volumeMounts }
  }
  const change = (list: ContainerList): readonly Container[] | undefined => spec[list]?.map(kept)
  return withDefaults(volumes.length === 0 ? without(spec, 'volumes') : { ...spec, volumes }, {
    containers: change('containers'),
    initContainers: change('initContainers'),
    ephemeralContainers: change('ephemeralContainers') as PodSpec['ephemeralContainers'],
  })
}

function withoutDisabledSources(volume: Volume): Volume {
  const sources = volume.projected?.sources
  // Go never leaves the list out: an empty one is null.
  if (!volume.projected || !sources) return volume
  const kept = mapShared<VolumeProjection>(sources, (source) => without(source, 'clusterTrustBundle', 'podCertificate'))
  return withDefaults(volume, { projected: withDefaults(volume.projected, { sources: kept }) })
}

function withoutDisabledParts(container: Container, list: ContainerList): Container {
  const { env, lifecycle, restartPolicy } = container
  let next = without(container, 'restartPolicyRules')
  // Only an init container has a policy of its own: the one that makes it a sidecar.
  if (restartPolicy !== undefined && (list !== 'initContainers' || restartPolicy !== 'Always'))
    next = without(next, 'restartPolicy')
  if (lifecycle?.stopSignal !== undefined) {
    const rest = without(lifecycle, 'stopSignal')
    next = Object.keys(rest).length === 0 ? without(next, 'lifecycle') : { ...next, lifecycle: rest }
  }
  return withDefaults(next, { env: env && mapShared(env, withoutFile) })
}

const withoutFile = (variable: EnvVar): EnvVar =>
  variable.valueFrom === undefined
    ? variable
    : withDefaults(variable, { valueFrom: without(variable.valueFrom, 'fileKeyRef') })
