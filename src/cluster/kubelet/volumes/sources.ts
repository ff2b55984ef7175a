// Volumes that are made of other objects: ConfigMaps, Secrets and projections of them and of tokens. Pure but for the
// lookups that are handed in; texts are the kubelet's.

import type { DownwardAPIVolumeFile, KeyToPath, PodSpec, Volume, VolumeProjection } from '#kinds'
import { askedContainer, noContainer } from '../containers/containers.ts'
import { absent, keysOf, type Objects, type Source } from '../containers/environment.ts'
import { goQuote } from '../ground/go-text.ts'

export interface SourceLookup {
  readonly spec: PodSpec
  readonly namespace: string
  readonly serviceAccount: string
  readonly objects: Objects
  readonly hasServiceAccount: (key: string) => boolean
}

const missingKey: Readonly<Record<Source['kind'], string>> = {
  ConfigMap: 'configmap references non-existent config key: ',
  Secret: 'references non-existent secret key: ',
}

function filesFault(source: Source, items: readonly KeyToPath[] | undefined, at: SourceLookup): string | undefined {
  const keys = keysOf(source, at.namespace, at.objects)
  if (keys === undefined) return source.optional ? undefined : absent(source)
  const missing = source.optional ? undefined : items?.find(({ key }) => !keys.all.has(key))
  return missing === undefined ? undefined : `${missingKey[source.kind]}${missing.key}`
}

function fieldsFault(items: readonly DownwardAPIVolumeFile[] | undefined, { spec }: SourceLookup): string | undefined {
  const asked = items?.flatMap(({ resourceFieldRef }) => resourceFieldRef?.containerName ?? []) ?? []
  return aggregate(asked.filter((name) => askedContainer(spec, name) === undefined).map(noContainer))
}

/** As Go prints an aggregate: each text once. */
function aggregate(faults: readonly string[]): string | undefined {
  if (faults.length < 2) return faults[0]
  const texts = [...new Set(faults)]
  return texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
}

function projectionFault(source: VolumeProjection, at: SourceLookup): string | undefined {
  const { configMap, secret, serviceAccountToken, clusterTrustBundle, downwardAPI } = source
  if (serviceAccountToken !== undefined)
    return at.hasServiceAccount(`${at.namespace}/${at.serviceAccount}`)
      ? undefined
      : `failed to fetch token: serviceaccounts ${goQuote(at.serviceAccount)} not found`
  // Kubelets of 1.34 have this switched off.
  if (clusterTrustBundle !== undefined) return 'ClusterTrustBundle projection is not supported in static kubelet mode'
  if (downwardAPI !== undefined) return fieldsFault(downwardAPI.items, at)
  const part = configMap ?? secret
  if (part === undefined) return undefined
  const kind = configMap === undefined ? 'Secret' : 'ConfigMap'
  return filesFault({ kind, name: part.name ?? '', optional: part.optional === true }, part.items, at)
}

/** Why the content of a volume cannot be put together; undefined also for volumes of another kind. */
export function sourceFault(
  { configMap, secret, projected, downwardAPI }: Volume,
  at: SourceLookup,
): string | undefined {
  if (configMap !== undefined) {
    const { name = '', optional, items } = configMap
    return filesFault({ kind: 'ConfigMap', name, optional: optional === true }, items, at)
  }
  if (secret !== undefined) {
    const { secretName = '', optional, items } = secret
    return filesFault({ kind: 'Secret', name: secretName, optional: optional === true }, items, at)
  }
  if (downwardAPI !== undefined) return fieldsFault(downwardAPI.items, at)
  if (projected === undefined) return undefined
  let faults: string[] | undefined
  for (const source of projected.sources ?? []) {
    const fault = projectionFault(source, at)
    if (fault !== undefined) faults = [...(faults ?? []), fault]
  }
  return faults === undefined ? undefined : aggregate(faults)
}
