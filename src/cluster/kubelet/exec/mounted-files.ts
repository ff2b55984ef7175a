// What is in the volumes of a container that are made of other objects: ConfigMaps, Secrets, fields of the pod and
// projections of them, as files by their path inside of the volume. Pure but for the lookups that are handed in.

import type {
  ConfigMap,
  Container,
  DownwardAPIVolumeFile,
  EphemeralContainer,
  KeyToPath,
  Pod,
  Secret,
  Volume,
} from '#kinds'
import { askedContainer } from '../containers/containers.ts'
import type { Objects } from '../containers/environment.ts'
import type { VariableView } from '../containers/variables.ts'
import { variablesOf } from '../containers/variables.ts'

export type FileMap = ReadonlyMap<string, Buffer>

export interface VolumeContent {
  readonly files: FileMap
  /** Nothing can be written there. */
  readonly readOnly: boolean
}

/** Undefined: a volume that begins empty and takes what is written. */
export function contentOf(volume: Volume, view: VariableView): VolumeContent | undefined {
  const files = new Map<string, Buffer>()
  const { configMap, secret, downwardAPI, projected } = volume
  if (configMap !== undefined) addConfigMap(files, { name: configMap.name, items: configMap.items }, view)
  else if (secret !== undefined) addSecret(files, { name: secret.secretName, items: secret.items }, view)
  else if (downwardAPI !== undefined) addFields(files, downwardAPI.items, view)
  else if (projected !== undefined) {
    for (const source of projected.sources ?? []) {
      if (source.configMap !== undefined) addConfigMap(files, source.configMap, view)
      if (source.secret !== undefined) addSecret(files, source.secret, view)
      if (source.downwardAPI !== undefined) addFields(files, source.downwardAPI.items, view)
    }
  } else return undefined
  return { files, readOnly: true }
}

interface Part {
  readonly name?: string | undefined
  readonly items?: readonly KeyToPath[] | undefined
}

const keyOf = ({ metadata }: Pod, name = ''): string => `${metadata.namespace ?? ''}/${name}`

function addConfigMap(files: Map<string, Buffer>, { name, items }: Part, { pod, objects }: VariableView): void {
  const found: ConfigMap | undefined = (objects as Objects).configMap(keyOf(pod, name))
  const all = new Map<string, Buffer>()
  for (const [key, text] of Object.entries(found?.data ?? {})) all.set(key, Buffer.from(text, 'utf8'))
  for (const [key, text] of Object.entries(found?.binaryData ?? {})) all.set(key, Buffer.from(text, 'base64'))
  place(files, all, items)
}

function addSecret(files: Map<string, Buffer>, { name, items }: Part, { pod, objects }: VariableView): void {
  const found: Secret | undefined = (objects as Objects).secret(keyOf(pod, name))
  const all = new Map<string, Buffer>()
  for (const [key, text] of Object.entries(found?.data ?? {})) all.set(key, Buffer.from(text, 'base64'))
  place(files, all, items)
}

function place(files: Map<string, Buffer>, all: FileMap, items: readonly KeyToPath[] | undefined): void {
  if (items === undefined) {
    for (const [key, bytes] of all) files.set(key, bytes)
    return
  }
  for (const { key, path } of items) {
    const bytes = all.get(key)
    if (bytes !== undefined) files.set(path, bytes)
  }
}

function addFields(
  files: Map<string, Buffer>,
  items: readonly DownwardAPIVolumeFile[] | undefined,
  view: VariableView,
): void {
  for (const { path, fieldRef, resourceFieldRef } of items ?? [])
    files.set(path, Buffer.from(fieldText(view, fieldRef, resourceFieldRef), 'utf8'))
}

/** Labels and annotations as a whole are lines; all else is what a variable would hold. */
function fieldText(
  view: VariableView,
  fieldRef: DownwardAPIVolumeFile['fieldRef'],
  resourceFieldRef: DownwardAPIVolumeFile['resourceFieldRef'],
): string {
  const whole = /^metadata\.(labels|annotations)$/.exec(fieldRef?.fieldPath ?? '')?.[1] as 'labels' | undefined
  if (whole !== undefined) {
    const entries = Object.entries(view.pod.metadata[whole] ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
    return entries.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join('\n')
  }
  const named = askedContainer(view.pod.spec, resourceFieldRef?.containerName)
  const valueFrom = fieldRef === undefined ? { resourceFieldRef } : { fieldRef }
  const asked = { ...(named ?? nobody), envFrom: [], env: [{ name: 'VALUE', valueFrom }] } as unknown as Container
  return variablesOf(asked as Container | EphemeralContainer, view).get('VALUE') ?? ''
}

const nobody = { name: '' }
