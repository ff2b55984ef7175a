// Columns that many tables have, and a short way to write the others.

import type { KubeObject } from '#objects'
import type { PodSpec, PodTemplateSpec } from '../generated/types.ts'
import type { Column } from '../kind.ts'
import { age } from './duration.ts'

export const nameColumn: Column<KubeObject> = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  cell: (object) => object.metadata.name ?? '',
}

const createdDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata'

/** When there is no better second column. */
export const createdColumn: Column<KubeObject> = {
  name: 'Created At',
  type: 'date',
  description: createdDescription,
  cell: (object) => object.metadata.creationTimestamp ?? '',
}

export const ageColumn: Column<KubeObject> = {
  name: 'Age',
  type: 'string',
  description: createdDescription,
  cell: (object, now) => age(object.metadata.creationTimestamp, now),
}

/** Shown only by `-o wide`. */
export const wide = <T>(column: Column<T>): Column<T> => ({ ...column, priority: 1 })

export const text = <T>(name: string, description: string, cell: Column<T>['cell']): Column<T> => ({
  name,
  type: 'string',
  description,
  cell,
})

export const integer = <T>(name: string, description: string, cell: Column<T>['cell']): Column<T> => ({
  name,
  type: 'integer',
  description,
  cell,
})

const joined = (spec: PodSpec | undefined, field: 'name' | 'image'): string =>
  (spec?.containers ?? []).map((container) => container[field] ?? '').join(',')

/** `Containers` and `Images` of a pod template. */
export const containerColumns = <T>(templateOf: (object: T) => PodTemplateSpec | undefined): readonly Column<T>[] => [
  text('Containers', 'Names of each container in the template.', (object) => joined(templateOf(object)?.spec, 'name')),
  text('Images', 'Images referenced by each container in the template.', (object) =>
    joined(templateOf(object)?.spec, 'image'),
  ),
]

/** Printed value of an optional boolean. */
export const optionalBoolean = (value: boolean | undefined): string =>
  value === undefined ? '<unset>' : value ? 'True' : 'False'
