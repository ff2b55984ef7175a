// Namespace (v1): names itself in a label, and stays until its content is gone.

import { type FieldError, invalid } from '../field-error.ts'
import { Namespace } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { qualifiedName } from '../metadata/formats.ts'
import { checkQualifiedFinalizer } from '../metadata/validate.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const nameLabel = 'kubernetes.io/metadata.name'

/** A name that is generated gets its label once it is there: defaults run again before the object is stored. */
function withNameLabel(namespace: Namespace): Namespace {
  const { metadata } = namespace
  if (!metadata.name || metadata.labels?.[nameLabel] === metadata.name) return namespace
  return { ...namespace, metadata: { ...metadata, labels: { ...metadata.labels, [nameLabel]: metadata.name } } }
}

function prepareForCreate(namespace: Namespace): Namespace {
  const finalizers = namespace.spec?.finalizers ?? []
  const all = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes']
  return withNameLabel({ ...namespace, spec: { ...namespace.spec, finalizers: all }, status: { phase: 'Active' } })
}

/** Spec (its finalizers) and status each have a door of their own. */
function prepareForUpdate(namespace: Namespace, old: Namespace): Namespace {
  if (namespace.spec === old.spec && namespace.status === old.status) return namespace
  return {
    ...namespace,
    ...(old.spec === undefined ? {} : { spec: old.spec }),
    ...(old.status === undefined ? {} : { status: old.status }),
  }
}

function validate({ spec }: Namespace): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const finalizer of spec?.finalizers ?? []) {
    for (const text of qualifiedName(finalizer)) errors.push(invalid('spec.finalizers', finalizer, text))
    checkQualifiedFinalizer(finalizer, 'spec.finalizers', errors)
  }
  return errors
}

function validateStatusUpdate({ status, metadata }: Namespace): readonly FieldError[] {
  const isDeleted = metadata.deletionTimestamp !== undefined
  const phase = isDeleted ? 'Terminating' : 'Active'
  if (status?.phase === phase) return []
  return [
    invalid(
      'status.Phase',
      status?.phase ?? '',
      `may only be '${phase}' if \`deletionTimestamp\` is ${isDeleted ? 'not ' : ''}empty`,
    ),
  ]
}

export const namespaceRules: KindRules<Namespace> = {
  kind: Namespace,
  metaOnUpdate: 'mu',
  generation: 'none',
  nameRule: 'label',
  defaults: withNameLabel,
  prepareForCreate,
  prepareForUpdate,
  validate,
  validateUpdate: () => [],
  validateStatusUpdate,
  columns: [nameColumn, text('Status', 'The status of the namespace', ({ status }) => status?.phase ?? ''), ageColumn],
  selectableFields: { 'status.phase': ({ status }) => status?.phase ?? '' },
}
