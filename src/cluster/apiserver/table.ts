// Tables (meta.k8s.io Table): the columns of the kind's rules, else NAME and AGE. Rows carry the metadata of their object
// (or all of it, or nothing), as `includeObject` says.

import type { Elements, Representation } from '#api'
import { type Column, createdColumn, nameColumn, quote } from '#kinds'
import type { AnyObject } from '#objects'
import { badRequest } from './errors.ts'
import type { ListMeta } from './list-meta.ts'
import type { Scope } from './scope.ts'
import type { Strategy } from './strategy.ts'

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
  readonly conditionsOf: Strategy['rowConditions']
  readonly columns: readonly Column<AnyObject>[]
  readonly include: string
  readonly apiVersion: string
  readonly now: number
}

function cellsOf({ object, ruled }: Row, style: TableStyle): object {
  const { columns, conditionsOf, include, apiVersion, now } = style
  const conditions = conditionsOf(ruled)
  const row = { cells: columns.map((column) => column.cell(ruled, now)), ...(conditions && { conditions }) }
  // The bookmark that ends a list says so in its metadata.
  const endsList = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
  if (include === 'None' && !endsList) return { ...row, object: null }
  if (include === 'Object') return { ...row, object }
  return { ...row, object: { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata } }
}

const includes = ['None', 'Metadata', 'Object', '']

function styleOf(scope: Scope, accept: Representation): TableStyle {
  const include = scope.query('includeObject') ?? 'Metadata'
  if (!includes.includes(include)) {
    const why = `Invalid value: ${quote(include)}: must be 'Metadata', 'Object', 'None', or empty`
    throw badRequest(`Unable to convert to Table as requested: includeObject: ${why}`)
  }
  return {
    conditionsOf: scope.served.strategy.rowConditions,
    columns: scope.served.strategy.columns ?? genericColumns,
    include,
    apiVersion: `meta.k8s.io/${accept.metaVersion ?? 'v1'}`,
    now: scope.core.world.clock.now(),
  }
}

const headOf = ({ apiVersion, columns }: TableStyle, metadata: object, withColumns: boolean) => ({
  kind: 'Table',
  apiVersion,
  metadata,
  columnDefinitions: withColumns ? columns.filter(({ isUnnamed }) => isUnnamed !== true).map(definition) : null,
})

const tableOf = (style: TableStyle, rows: readonly Row[], metadata: object, head: boolean): AnyObject =>
  ({ ...headOf(style, metadata, head), rows: rows.map((row) => cellsOf(row, style)) }) as unknown as AnyObject

/** Of a list: its rows are made one by one. */
export function tableElements(
  scope: Scope,
  rows: () => Iterable<Row>,
  { meta, accept }: { readonly meta: ListMeta; readonly accept: Representation },
): Elements {
  const style = styleOf(scope, accept)
  return {
    head: headOf(style, meta, true),
    key: 'rows',
    *each() {
      for (const row of rows()) yield cellsOf(row, style)
    },
  }
}

/** `head` is false from the second event of a watch on: the columns are told once. */
export function objectTable(scope: Scope, row: Row, accept: Representation, head = true): AnyObject {
  const { resourceVersion = '' } = row.object.metadata
  return tableOf(styleOf(scope, accept), [row], { resourceVersion }, head)
}

/** Of an object that is not the resource's own kind. */
export function otherTable(
  scope: Scope,
  object: AnyObject,
  { accept, columns }: { readonly accept: Representation; readonly columns: readonly Column<AnyObject>[] | undefined },
): AnyObject {
  const style = styleOf(scope, accept)
  const { resourceVersion = '' } = object.metadata
  return tableOf(
    { ...style, columns: columns ?? style.columns },
    [{ object, ruled: object }],
    { resourceVersion },
    true,
  )
}
