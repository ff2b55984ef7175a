// What containers need from other objects: ConfigMaps and Secrets in variables. Pure but for the lookups that are handed
// in; texts are the kubelet's.

import type { ConfigMap, Container, EnvVar, EphemeralContainer, Pod, Secret } from '#kinds'
import { goQuote } from '../ground/go-text.ts'

export interface Objects {
  configMap(key: string): ConfigMap | undefined
  secret(key: string): Secret | undefined
}

export interface Source {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly name: string
  readonly optional: boolean
}

export const absent = ({ kind, name }: Source): string => `${kind.toLowerCase()} ${goQuote(name)} not found`

/** The keys of the object, or undefined when it is not there. */
export function keysOf({ kind, name }: Source, namespace: string, objects: Objects): ReadonlySet<string> | undefined {
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
