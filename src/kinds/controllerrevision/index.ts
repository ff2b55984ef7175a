// ControllerRevision (apps/v1): data that never changes, with the number of its revision.

import { isEqual } from '#objects'
import { type FieldError, invalid, required } from '../field-error.ts'
import { ControllerRevision } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { checkNonNegative } from '../workload/selector.ts'

function validateChange(revision: ControllerRevision): FieldError[] {
  const errors: FieldError[] = []
  checkNonNegative(revision.revision, 'revision', errors)
  return errors
}

function validate(revision: ControllerRevision): readonly FieldError[] {
  const errors = validateChange(revision)
  const data: unknown = revision.data
  if (data == null) errors.push(required('data', 'data is mandatory'))
  else if (typeof data !== 'object' || Array.isArray(data))
    errors.push(required('data', 'data must be a valid JSON object'))
  return errors
}

function controllerOf({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller === true)
  if (owner === undefined) return '<none>'
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : ['']
  const kind = owner.kind.toLowerCase()
  return `${group === '' ? kind : `${kind}.${group}`}/${owner.name}`
}

export const controllerRevisionRules: KindRules<ControllerRevision> = {
  kind: ControllerRevision,
  generation: 'none',
  validate,
  validateUpdate: (revision, old) => [
    ...validateChange(revision),
    ...(isEqual(revision.data, old.data) ? [] : [invalid('data', revision.data, immutableText)]),
  ],
  columns: [
    nameColumn,
    text('Controller', 'Controller of the object', controllerOf),
    text(
      'Revision',
      'revision indicates the revision of the state represented by Data.',
      ({ revision }) => revision ?? 0,
    ),
    ageColumn,
  ],
}
