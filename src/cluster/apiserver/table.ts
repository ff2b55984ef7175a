// Tables (meta.k8s.io Table): the columns of the kind's rules, else NAME and AGE. Rows carry the metadata of their object
// (or all of it, or nothing), as `includeObject` says.

import type { Representation } from '#api'
import { age, type Column } from '#kinds'
import type { AnyObject, ObjectMeta } from '#objects'
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

/** One row: the object as it is served, and in the form that the kind's columns read. */
export interface Row {
  readonly object: AnyObject
  readonly ruled: AnyObject
}

interface TableStyle {
  readonly columns: readonly Column<AnyObject>[]
  readonly include: string
  readonly apiVersion: string
  readonly now: number
}

function cellsOf({ object, ruled }: Row, { columns, include, apiVersion, now }: TableStyle): object {
  const cells = columns.map((column) => column.cell(ruled, now))
  if (include === 'None') return { cells, object: null }
  if (include === 'Object') return { cells, object }
  return { cells, object: { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata } }
}

const includes = ['None', 'Metadata', 'Object', '']

function styleOf(scope: Scope, accept: Representation): TableStyle {
  const include = scope.query('includeObject') ?? 'Metadata'
  if (!includes.includes(include)) {
    const why = `Unsupported value: ${JSON.stringify(include)}: supported values: "Metadata", "None", "Object"`
    throw badRequest(`includeObject: ${why}`)
  }
  return {
    columns: scope.served.strategy.columns ?? genericColumns,
    include,
    apiVersion: `meta.k8s.io/${accept.metaVersion ?? 'v1'}`,
    now: scope.core.world.clock.now(),
  }
}

const tableOf = (style: TableStyle, rows: readonly Row[], metadata: object, head: boolean): AnyObject =>
  ({
    kind: 'Table',
    apiVersion: style.apiVersion,
    metadata,
    columnDefinitions: head ? style.columns.map(definition) : null,
    rows: rows.map((row) => cellsOf(row, style)),
  }) as unknown as AnyObject

export const listTable = (scope: Scope, rows: readonly Row[], meta: ListMeta, accept: Representation): AnyObject =>
  tableOf(styleOf(scope, accept), rows, meta, true)

/** `head` is false from the second event of a watch on: the columns are told once. */
export function objectTable(scope: Scope, row: Row, accept: Representation, head = true): AnyObject {
  const { resourceVersion = '' } = row.object.metadata
  return tableOf(styleOf(scope, accept), [row], { resourceVersion }, head)
}

/** A bookmark: a table without rows. */
export const emptyTable = (scope: Scope, metadata: ObjectMeta, accept: Representation): AnyObject =>
  tableOf(styleOf(scope, accept), [], metadata, false)
