// Columns of custom resources: NAME, then what the definition's printer columns say, else AGE
// (apiextensions-apiserver/pkg/registry/customresource/tableconvertor).

import { age, ageColumn, type Column, goJson, nameColumn } from '#kinds'
import { type AnyObject, goValueText, type Json, parseTime } from '#objects'
import { findValues } from './json-path.ts'
import type { PrinterColumn } from './spec.ts'

export function customColumns(columns: readonly PrinterColumn[] | undefined): readonly Column<AnyObject>[] {
  if (columns === undefined || columns.length === 0) return [nameColumn, { ...ageColumn, type: 'date' }]
  return [nameColumn, ...columns.map(columnOf)]
}

function columnOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): Column<AnyObject> {
  return {
    name,
    type,
    ...(format === undefined ? {} : { format }),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
    cell: (object, now) => cellOf(type, findValues(object, jsonPath), now),
  }
}

function cellOf(
  type: PrinterColumn['type'],
  values: readonly unknown[],
  now: number,
): string | number | boolean | null {
  const [value] = values
  if (value === undefined) return null
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateText(value, now) : null
    default:
      return printed(value)
  }
}

/** Without a date the age is unknown; what is no date is invalid. */
const dateText = (value: string, now: number): string =>
  value === '' || value === 'null' || parseTime(value) !== undefined ? age(value, now) : '<invalid>'

/** Lists and maps are printed as JSON, the rest as Go prints values. */
function printed(value: unknown): string {
  if (value === null) return '<no value>'
  return typeof value === 'object' ? goJson(sorted(value as Json)) : goValueText(value as Json)
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value as { readonly [key: string]: Json })
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
