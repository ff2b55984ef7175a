// Warnings for the volumes of pods: kinds of storage that Kubernetes has given up, and files of one volume that get in each
// other's way.

import type { Volume, VolumeProjection } from '../generated/types.ts'
import { claimSpecWarnings } from '../persistentvolumeclaim/warnings.ts'

const deprecated: readonly (readonly [field: keyof Volume, shown: string, text: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

export function volumeWarnings(volumes: readonly Volume[], path: string): readonly string[] {
  return [
    ...volumes.flatMap((volume, i) => {
      const at = `${path}[${i}]`
      const template = volume.ephemeral?.volumeClaimTemplate
      return [
        ...deprecated.flatMap(([field, shown, text]) =>
          volume[field] === undefined ? [] : [`${at}.${shown}: ${text}`],
        ),
        ...(template === undefined ? [] : claimSpecWarnings(template.spec, `${at}.ephemeral.volumeClaimTemplate.spec`)),
      ]
    }),
    ...volumes.flatMap(overlapWarnings),
  ]
}

/** A file of a volume, and in a projected one where it comes from. */
interface File {
  readonly path: string
  readonly source?: string
}

type Item = { readonly path?: string }

const filesOf = (items: readonly Item[] | undefined, source?: string): readonly File[] =>
  (items ?? []).map(({ path = '' }) => ({ path, ...(source === undefined ? {} : { source }) }))

function overlapWarnings(volume: Volume): readonly string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume
  const within = (what: string, items: readonly Item[] | undefined): readonly string[] =>
    overlaps(filesOf(items), `volume ${JSON.stringify(name)} (${what})`)
  if (configMap !== undefined) return within(`ConfigMap ${JSON.stringify(configMap.name ?? '')}`, configMap.items)
  if (secret !== undefined) return within(`Secret ${JSON.stringify(secret.secretName ?? '')}`, secret.items)
  if (downwardAPI !== undefined) return within('DownwardAPI', downwardAPI.items)
  if (projected === undefined) return []
  const what = `volume ${JSON.stringify(name)} (Projected)`
  const sources = projected.sources ?? []
  return [
    ...sources.flatMap((source) => (Object.keys(source).length === 0 ? [`${what} has no sources provided`] : [])),
    ...overlaps(sources.flatMap(projectedFiles), what),
  ]
}

function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): readonly File[] {
  if (configMap?.items !== undefined)
    return filesOf(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? '')}`)
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${JSON.stringify(secret.name ?? '')}`)
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, 'DownwardAPI')
  return serviceAccountToken === undefined ? [] : filesOf([serviceAccountToken], 'ServiceAccountToken')
}

/** Two files of one path, or one where the other has its folder. */
function overlaps(files: readonly File[], what: string): readonly string[] {
  const shown = ({ path, source }: File): string =>
    source === undefined ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`
  const trimmed = files.map((file) => ({ ...file, path: file.path.replace(/\/+$/, '') }))
  return trimmed.flatMap((file, i) =>
    trimmed
      .slice(0, i)
      .filter((other) => clash(file.path, other.path))
      .map((other) => `${what}: overlapping paths: ${shown(file)} with ${shown(other)}`),
  )
}

const clash = (a: string, b: string): boolean =>
  a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`))
