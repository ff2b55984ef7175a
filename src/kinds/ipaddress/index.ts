// IPAddress (networking.k8s.io/v1): the name is the address.

import { isEqual } from '#objects'
import { type FieldError, invalid, required } from '../field-error.ts'
import { IPAddress, type ParentReference } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import type { KindRules } from '../kind.ts'
import { dnsSubdomain, immutableText, pathSegment } from '../metadata/formats.ts'
import { checkStandardAddress } from '../network/forms.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const path = 'spec.parentRef'
const parentStruct = goStruct('Group="" Resource="" Namespace="" Name=""')

function validate({ metadata, spec }: IPAddress): readonly FieldError[] {
  const errors: FieldError[] = []
  checkStandardAddress(metadata.name ?? '', 'metadata.name', errors)
  if (spec?.parentRef === undefined) errors.push(required(path))
  else checkParent(spec.parentRef, errors)
  return errors
}

function checkParent(parent: ParentReference, errors: FieldError[]): void {
  const { group = '', resource = '', name = '', namespace = '' } = parent
  if (group !== '') for (const fault of dnsSubdomain(group)) errors.push(invalid(`${path}.group`, group, fault))
  const segment = (field: string, value: string): void => {
    for (const fault of pathSegment(value)) errors.push(invalid(`${path}.${field}`, value, fault))
  }
  if (resource === '') errors.push(required(`${path}.resource`))
  else segment('resource', resource)
  if (name === '') errors.push(required(`${path}.name`))
  else segment('name', name)
  if (namespace !== '') segment('namespace', namespace)
}

function validateUpdate(address: IPAddress, old: IPAddress): readonly FieldError[] {
  const parent = address.spec?.parentRef
  const errors = validate(address)
  if (isEqual(parent, old.spec?.parentRef)) return errors
  return [...errors, invalid(path, parent && asGoStruct(parentStruct, parent), immutableText)]
}

function parentText(parent: ParentReference | undefined): string {
  if (parent === undefined) return '<none>'
  const { group, resource, namespace, name } = parent
  return `${resource}${group ? `.${group}` : ''}/${namespace ? `${namespace}/` : ''}${name}`
}

export const ipAddressRules: KindRules<IPAddress> = {
  kind: IPAddress,
  metaOnUpdate: 'mu',
  generation: 'none',
  nameRule: 'path',
  validate,
  validateUpdate,
  columns: [
    nameColumn,
    text(
      'ParentRef',
      'ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.',
      ({ spec }) => parentText(spec?.parentRef),
    ),
    { ...ageColumn, isUnnamed: true },
  ],
}
