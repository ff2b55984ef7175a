// What a pod needs from other objects: ConfigMaps and Secrets in variables and volumes. Pure but for the lookups that are
// handed in; texts are the kubelet's.

import type {
  ConfigMap,
  Container,
  EnvVar,
  EphemeralContainer,
  KeyToPath,
  Pod,
  Secret,
  Volume,
  VolumeProjection,
} from '#kinds'
import { goQuote } from './go-text.ts'

export interface Objects {
  configMap(key: string): ConfigMap | undefined
  secret(key: string): Secret | undefined
}

interface Source {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly name: string
  readonly optional: boolean
}

const absent = ({ kind, name }: Source): string => `${kind.toLowerCase()} ${goQuote(name)} not found`

/** The keys of the object, or undefined when it is not there. */
function keysOf({ kind, name }: Source, namespace: string, objects: Objects): ReadonlySet<string> | undefined {
  const key = `${namespace}/${name}`
  const object = kind === 'ConfigMap' ? objects.configMap(key) : objects.secret(key)
  if (object === undefined) return undefined
  const binary = 'binaryData' in object ? object.binaryData : undefined
  return new Set([...Object.keys(object.data ?? {}), ...Object.keys(binary ?? {})])
}

function variableFault({ valueFrom }: EnvVar, namespace: string, objects: Objects): string | undefined {
  const { configMapKeyRef, secretKeyRef } = valueFrom ?? {}
  const ref = configMapKeyRef ?? secretKeyRef
  if (ref === undefined) return undefined
  const source: Source = {
    kind: configMapKeyRef === undefined ? 'Secret' : 'ConfigMap',
    name: ref.name ?? '',
    optional: ref.optional === true,
  }
  const keys = keysOf(source, namespace, objects)
  if (keys === undefined) return source.optional ? undefined : absent(source)
  if (keys.has(ref.key) || source.optional) return undefined
  return `couldn't find key ${ref.key} in ${source.kind} ${namespace}/${source.name}`
}

/** Why the container's environment cannot be made; the first fault counts. */
export function environmentFault(
  container: Container | EphemeralContainer,
  pod: Pod,
  objects: Objects,
): string | undefined {
  const { namespace = '' } = pod.metadata
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef
    if (ref === undefined || ref.optional === true) continue
    const source: Source = {
      kind: configMapRef === undefined ? 'Secret' : 'ConfigMap',
      name: ref.name ?? '',
      optional: false,
    }
    if (keysOf(source, namespace, objects) === undefined) return absent(source)
  }
  for (const variable of container.env ?? []) {
    const fault = variableFault(variable, namespace, objects)
    if (fault !== undefined) return fault
  }
  return undefined
}

const missingKey: Readonly<Record<Source['kind'], string>> = {
  ConfigMap: 'configmap references non-existent config key: ',
  Secret: 'references non-existent secret key: ',
}

function filesFault(source: Source, items: readonly KeyToPath[] | undefined, at: Lookup): string | undefined {
  const keys = keysOf(source, at.namespace, at.objects)
  if (keys === undefined) return source.optional ? undefined : absent(source)
  const missing = source.optional ? undefined : items?.find(({ key }) => !keys.has(key))
  return missing === undefined ? undefined : `${missingKey[source.kind]}${missing.key}`
}

interface Lookup {
  readonly namespace: string
  readonly objects: Objects
}

function projectionFault({ configMap, secret }: VolumeProjection, at: Lookup): string | undefined {
  const part = configMap ?? secret
  if (part === undefined) return undefined
  const kind = configMap === undefined ? 'Secret' : 'ConfigMap'
  return filesFault({ kind, name: part.name ?? '', optional: part.optional === true }, part.items, at)
}

function volumeFault({ configMap, secret, projected }: Volume, at: Lookup): string | undefined {
  if (configMap !== undefined) {
    const { name = '', optional, items } = configMap
    return filesFault({ kind: 'ConfigMap', name, optional: optional === true }, items, at)
  }
  if (secret !== undefined) {
    const { secretName = '', optional, items } = secret
    return filesFault({ kind: 'Secret', name: secretName, optional: optional === true }, items, at)
  }
  const faults = (projected?.sources ?? []).flatMap((source) => projectionFault(source, at) ?? [])
  if (faults.length < 2) return faults[0]
  return `[${faults.join(', ')}]`
}

export interface VolumeFault {
  readonly volume: string
  readonly message: string
}

/** The volumes that cannot be set up now, with the text of their FailedMount event. */
export function volumeFaults({ metadata, spec }: Pod, objects: Objects): readonly VolumeFault[] {
  const at = { namespace: metadata.namespace ?? '', objects }
  const faults: VolumeFault[] = []
  for (const volume of spec.volumes ?? []) {
    const fault = volumeFault(volume, at)
    if (fault === undefined) continue
    const message = `MountVolume.SetUp failed for volume ${goQuote(volume.name)} : ${fault}`
    faults.push({ volume: volume.name, message })
  }
  return faults
}
