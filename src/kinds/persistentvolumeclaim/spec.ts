// Faults of the spec of a claim. StatefulSets and ephemeral volumes embed it.

import { compareQuantity, formatQuantity, parseQuantity } from '#objects'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../generated/types.ts'
import { dnsLabel, dnsSubdomain, positiveText } from '../metadata/formats.ts'
import { checkTemplateMetadata } from '../metadata/validate.ts'
import { checkSelector } from '../selector/validate.ts'

export const accessModes: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
export const volumeModes: readonly string[] = ['Block', 'Filesystem']

export function checkAccessModes(modes: readonly string[], path: string, errors: FieldError[]): void {
  for (const mode of modes) if (!accessModes.includes(mode)) errors.push(notSupported(path, mode, accessModes))
  const known = modes.filter((mode) => accessModes.includes(mode))
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod'))
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
}

export function checkClaimSpec(spec: PersistentVolumeClaimSpec, path: string, errors: FieldError[]): void {
  const modes = spec.accessModes ?? []
  if (modes.length === 0) errors.push(required(`${path}.accessModes`, 'at least 1 access mode is required'))
  checkSelector(spec.selector, `${path}.selector`, errors)
  checkAccessModes(modes, `${path}.accessModes`, errors)
  const storage = spec.resources?.requests?.storage
  if (storage === undefined) errors.push(required(`${path}.resources[storage]`))
  else if (compareQuantity(storage, '0') <= 0)
    errors.push(invalid(`${path}.resources[storage]`, formatQuantity(parseQuantity(storage)), positiveText))
  checkClassName(spec.storageClassName, `${path}.storageClassName`, errors)
  if (spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode))
    errors.push(notSupported(`${path}.volumeMode`, spec.volumeMode, volumeModes))
  if (spec.dataSource !== undefined) checkSource(spec.dataSource, `${path}.dataSource`, errors)
  if (spec.dataSourceRef !== undefined) checkSource(spec.dataSourceRef, `${path}.dataSourceRef`, errors)
  checkSourcesAgree(spec, path, errors)
  checkClassName(spec.volumeAttributesClassName, `${path}.volumeAttributesClassName`, errors)
}

export function checkClassName(name: string | undefined, path: string, errors: FieldError[]): void {
  if (name) for (const text of dnsSubdomain(name)) errors.push(invalid(path, name, text))
}

function checkSource(
  source: TypedLocalObjectReference & TypedObjectReference,
  path: string,
  errors: FieldError[],
): void {
  if (!source.name) errors.push(required(`${path}.name`))
  if (!source.kind) errors.push(required(`${path}.kind`))
  if (!source.apiGroup) {
    if (source.kind !== 'PersistentVolumeClaim')
      errors.push(
        invalid(path, source.kind ?? '', "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
      )
  } else
    for (const text of dnsSubdomain(source.apiGroup)) errors.push(invalid(`${path}.apiGroup`, source.apiGroup, text))
  if (source.namespace)
    for (const text of dnsLabel(source.namespace)) errors.push(invalid(`${path}.namespace`, source.namespace, text))
}

function checkSourcesAgree(spec: PersistentVolumeClaimSpec, path: string, errors: FieldError[]): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource === undefined || dataSourceRef === undefined) return
  if (dataSourceRef.namespace)
    errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'))
  else if (
    dataSource.apiGroup !== dataSourceRef.apiGroup ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  )
    errors.push(invalid(path, {}, 'must match dataSourceRef'))
}

export function checkClaimTemplate(template: PersistentVolumeClaimTemplate, path: string, errors: FieldError[]): void {
  checkTemplateMetadata(template.metadata ?? {}, `${path}.metadata`, errors)
  checkClaimSpec(template.spec, `${path}.spec`, errors)
}
