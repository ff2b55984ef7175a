// Faults of references to a pod's own fields and resources (environment and downward API files).

import { formatQuantity, parseQuantity } from '#objects'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { DownwardAPIVolumeFile, ObjectFieldSelector, ResourceFieldSelector } from '../generated/types.ts'
import { qualifiedName } from '../metadata/formats.ts'
import { checkFileMode, checkNotReserved } from './paths.ts'

export const volumeFields: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

export const envFields: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

/** Fields that a reference can name at all (ConvertDownwardAPIFieldLabel). */
const convertible = new Set([...volumeFields, ...envFields, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase'])

/** The name of `spec.nodeName` in the first releases is still understood. */
const currentName = (field: string): string => (field === 'spec.host' ? 'spec.nodeName' : field)

export function checkFieldRef(
  reference: ObjectFieldSelector,
  allowed: readonly string[],
  target: { readonly path: string; readonly errors: FieldError[] },
): void {
  const { path, errors } = target
  const { fieldPath } = reference
  if (!reference.apiVersion) {
    errors.push(required(`${path}.apiVersion`))
    return
  }
  if (!fieldPath) {
    errors.push(required(`${path}.fieldPath`))
    return
  }
  const subscript = /^([^[]*)\['(.*)'\]$/s.exec(fieldPath)
  const whole = subscript?.[1] ?? currentName(fieldPath)
  const fault = conversionFault(reference.apiVersion, subscript !== null, whole)
  if (fault !== undefined)
    errors.push(invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${fault(fieldPath)}`))
  else if (subscript !== null) {
    const key = subscript[2] ?? ''
    const checked = whole === 'metadata.annotations' ? key.toLowerCase() : key
    for (const text of qualifiedName(checked)) errors.push(invalid(path, checked, text))
  } else if (!allowed.includes(whole)) errors.push(notSupported(`${path}.fieldPath`, whole, allowed))
}

function conversionFault(
  apiVersion: string,
  subscripted: boolean,
  field: string,
): ((label: string) => string) | undefined {
  if (apiVersion !== 'v1') return () => `unsupported pod version: ${apiVersion}`
  if (subscripted) {
    return field === 'metadata.annotations' || field === 'metadata.labels'
      ? undefined
      : (label) => `field label does not support subscript: ${label}`
  }
  if (convertible.has(field)) return undefined
  return (label) => `field label not supported: ${label}`
}

const resourceFields: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

export function checkResourceFieldRef(
  reference: ResourceFieldSelector,
  inVolume: boolean,
  target: { readonly path: string; readonly errors: FieldError[] },
): void {
  const { path, errors } = target
  const resource = reference.resource ?? ''
  if (inVolume && !reference.containerName) errors.push(required(`${path}.containerName`))
  else if (resource === '') errors.push(required(`${path}.resource`))
  else if (!resourceFields.includes(resource) && !isHugePages(resource))
    errors.push(notSupported(`${path}.resource`, resource, resourceFields))
  checkDivisor(reference, `${path}.divisor`, errors)
}

const isHugePages = (resource: string): boolean => /^(requests|limits)\.hugepages-/.test(resource)

function checkDivisor(reference: ResourceFieldSelector, path: string, errors: FieldError[]): void {
  const divisor = formatQuantity(parseQuantity(reference.divisor ?? '0'))
  if (divisor === '0') return
  const { resource = '' } = reference as { readonly resource?: string }
  const refuse = (what: string): void => {
    errors.push(
      invalid(
        path,
        resource,
        `only divisor's values ${byteDivisors.join(', ')} are supported with the ${what} resource`,
      ),
    )
  }
  if (resource === 'limits.cpu' || resource === 'requests.cpu') {
    if (divisor !== '1' && divisor !== '1m')
      errors.push(invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"))
    return
  }
  if (byteDivisors.includes(divisor)) return
  if (resource === 'limits.memory' || resource === 'requests.memory') refuse('memory')
  else if (/^(limits|requests)\.ephemeral-storage$/.test(resource)) refuse('local ephemeral storage')
  else if (isHugePages(resource)) refuse('hugepages')
}

export function checkDownwardFile(file: DownwardAPIVolumeFile, path: string, errors: FieldError[]): void {
  if (!file.path) errors.push(required(`${path}.path`))
  checkNotReserved(file.path ?? '', `${path}.path`, errors)
  if (file.fieldRef !== undefined) {
    checkFieldRef(file.fieldRef, volumeFields, { path: `${path}.fieldRef`, errors })
    if (file.resourceFieldRef !== undefined)
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
  } else if (file.resourceFieldRef !== undefined)
    checkResourceFieldRef(file.resourceFieldRef, true, { path: `${path}.resourceFieldRef`, errors })
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
  checkFileMode(file.mode, `${path}.mode`, errors)
}
