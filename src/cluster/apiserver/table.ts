// Tables (meta.k8s.io Table): the columns of the kind's rules, else NAME and AGE. Rows carry the metadata of their object
// (or all of it, or nothing), as `includeObject` says.

import type { Representation } from '#api'
import { age, type Column } from '#kinds'
import type { AnyObject } from '#objects'
import { badRequest } from './errors.ts'
import type { ListMeta } from './represent.ts'
import type { Scope } from './scope.ts'

export const nameColumn: Column<AnyObject> = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  cell: (object) => object.metadata.name ?? '',
}

const createdColumn: Column<AnyObject> = {
  name: 'Created At',
  type: 'date',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  cell: (object) => object.metadata.creationTimestamp ?? '',
}

export const ageColumn: Column<AnyObject> = {
  ...createdColumn,
  name: 'Age',
  type: 'string',
  cell: (object, now) => age(object.metadata.creationTimestamp, now),
}

const genericColumns: readonly Column<AnyObject>[] = [nameColumn, createdColumn]

const definition = (column: Column<AnyObject>) => ({
  name: column.name,
  type: column.type,
  format: column.format ?? '',
  description: column.description,
  priority: column.priority ?? 0,
})

function rowOf(
  scope: Scope,
  columns: readonly Column<AnyObject>[],
  object: AnyObject,
  now: number,
  include: string,
): object {
  const cells = columns.map((column) => column.cell(object, now))
  if (include === 'None') return { cells, object: null }
  if (include === 'Object') return { cells, object }
  const apiVersion = `meta.k8s.io/${scope.request.accept?.metaVersion ?? 'v1'}`
  return { cells, object: { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata } }
}

function tableOf(
  scope: Scope,
  objects: readonly AnyObject[],
  meta: object,
  accept: Representation,
  head: boolean,
): AnyObject {
  const include = scope.query('includeObject') ?? 'Metadata'
  if (!['None', 'Metadata', 'Object', ''].includes(include)) {
    throw badRequest(
      `includeObject: Unsupported value: ${JSON.stringify(include)}: supported values: "Metadata", "None", "Object"`,
    )
  }
  const columns = scope.served.strategy.columns ?? genericColumns
  const now = scope.core.world.clock.now()
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${accept.metaVersion ?? 'v1'}`,
    metadata: meta,
    columnDefinitions: head ? columns.map(definition) : null,
    rows: objects.map((object) => rowOf(scope, columns, object, now, include)),
  } as unknown as AnyObject
}

export const listTable = (
  scope: Scope,
  objects: readonly AnyObject[],
  meta: ListMeta,
  accept: Representation,
): AnyObject => tableOf(scope, objects, meta, accept, true)

/** `head` is false from the second event of a watch on: the columns are told once. */
export function objectTable(scope: Scope, object: AnyObject, accept: Representation, head = true): AnyObject {
  const { resourceVersion = '' } = object.metadata
  return tableOf(scope, [object], { resourceVersion }, accept, head)
}
