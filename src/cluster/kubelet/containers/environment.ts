// What containers need from other objects: ConfigMaps and Secrets in variables. Pure but for the lookups that are handed
// in; texts are the kubelet's.

import type { ConfigMap, Container, EnvVar, EphemeralContainer, Pod, Secret } from '#kinds'
import { goQuote } from '../ground/go-text.ts'
import { askedContainer, noContainer } from './containers.ts'

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

export interface Keys {
  /** Those that a variable can have. */
  readonly text: ReadonlySet<string>
  /** Those that can be a file. */
  readonly all: ReadonlySet<string>
}

/** The keys of the object, or undefined when it is not there. */
export function keysOf({ kind, name }: Source, namespace: string, objects: Objects): Keys | undefined {
  const key = `${namespace}/${name}`
  const object = kind === 'ConfigMap' ? objects.configMap(key) : objects.secret(key)
  if (object === undefined) return undefined
  const text = new Set(Object.keys(object.data ?? {}))
  const binary = 'binaryData' in object ? object.binaryData : undefined
  return { text, all: binary === undefined ? text : new Set([...text, ...Object.keys(binary)]) }
}

function variableFault({ valueFrom }: EnvVar, { metadata, spec }: Pod, objects: Objects): string | undefined {
  const { configMapKeyRef, secretKeyRef, resourceFieldRef } = valueFrom ?? {}
  const asked = resourceFieldRef?.containerName ?? ''
  if (asked !== '') return askedContainer(spec, asked) === undefined ? noContainer(asked) : undefined
  const { namespace = '' } = metadata
  const ref = configMapKeyRef ?? secretKeyRef
  if (ref === undefined) return undefined
  const source: Source = {
    kind: configMapKeyRef === undefined ? 'Secret' : 'ConfigMap',
    name: ref.name ?? '',
    optional: ref.optional === true,
  }
  const keys = keysOf(source, namespace, objects)
  if (keys === undefined) return source.optional ? undefined : absent(source)
  if (keys.text.has(ref.key) || source.optional) return undefined
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
    const fault = variableFault(variable, pod, objects)
    if (fault !== undefined) return fault
  }
  return undefined
}
