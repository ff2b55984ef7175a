// The values of a container's environment variables, as its process sees them (makeEnvironmentVariables): given values
// with the variables before them filled in, fields and resources of the pod, keys of ConfigMaps and Secrets. Pure.

import { amountOf, type Container, type EnvVar, type EphemeralContainer, type Pod } from '#kinds'
import { askedContainer } from './containers.ts'
import type { Objects } from './environment.ts'

export interface VariableView {
  readonly pod: Pod
  readonly objects: Objects
  readonly podIP: string
  readonly hostIP: string
  /** Stands for limits that a container does not have. */
  readonly allocatable: ReadonlyMap<string, number>
}

/** All variables; what cannot be found is left out. */
export function variablesOf(
  container: Container | EphemeralContainer,
  view: VariableView,
): ReadonlyMap<string, string> {
  const variables = new Map<string, string>()
  const { namespace = '' } = view.pod.metadata
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const data =
      configMapRef === undefined
        ? textOf(view.objects.secret(`${namespace}/${secretRef?.name ?? ''}`)?.data)
        : (view.objects.configMap(`${namespace}/${configMapRef.name ?? ''}`)?.data ?? {})
    for (const [key, value] of Object.entries(data)) variables.set(`${prefix}${key}`, value)
  }
  for (const variable of container.env ?? []) {
    const value = variableValue(variable, container, { ...view, variables })
    if (value !== undefined) variables.set(variable.name, value)
  }
  return variables
}

const textOf = (data: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decoded(value)]))

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')

interface Known extends VariableView {
  readonly variables: ReadonlyMap<string, string>
}

function variableValue(
  { value, valueFrom }: EnvVar,
  container: Container | EphemeralContainer,
  known: Known,
): string | undefined {
  if (valueFrom === undefined) return expanded(value ?? '', known.variables)
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom
  const { namespace = '' } = known.pod.metadata
  if (fieldRef !== undefined) return fieldOf(fieldRef.fieldPath, known)
  if (configMapKeyRef !== undefined)
    return known.objects.configMap(`${namespace}/${configMapKeyRef.name ?? ''}`)?.data?.[configMapKeyRef.key]
  if (secretKeyRef !== undefined) {
    const secret = known.objects.secret(`${namespace}/${secretKeyRef.name ?? ''}`)?.data?.[secretKeyRef.key]
    return secret === undefined ? undefined : decoded(secret)
  }
  if (resourceFieldRef === undefined) return undefined
  const { containerName, resource, divisor = '1' } = resourceFieldRef
  const named = askedContainer(known.pod.spec, containerName) ?? container
  return String(Math.ceil(resourceAmount(named, resource, known) / dividing(resource, divisor)))
}

/** `$(NAME)` is the variable of that name, if it is known by then; `$$(NAME)` is `$(NAME)`. */
export const expanded = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (variables.get(name) ?? whole),
  )

function resourceAmount({ resources = {} }: Container | EphemeralContainer, path: string, known: Known): number {
  const [list, name = ''] = path.split('.') as ['limits' | 'requests', string]
  const given = resources[list]?.[name]
  if (given !== undefined) return amountOf(name, given)
  return list === 'limits' ? (known.allocatable.get(name) ?? 0) : 0
}

/** CPU is counted in thousandths here. */
const dividing = (path: string, divisor: string | number): number => {
  const name = path.split('.')[1] ?? ''
  const amount = amountOf(name, divisor)
  return amount === 0 ? amountOf(name, 1) : amount
}

function fieldOf(path: string, { pod, podIP, hostIP }: Known): string | undefined {
  const { metadata, spec } = pod
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path)
  if (subscript !== null) return metadata[subscript[1] as 'labels' | 'annotations']?.[subscript[2] ?? ''] ?? ''
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName,
    'status.hostIP': hostIP,
    'status.hostIPs': hostIP,
    'status.podIP': podIP,
    'status.podIPs': podIP,
  }
  return fields[path]
}
