// Columns of custom resources: NAME, then what the definition's printer columns say, else AGE
// (apiextensions-apiserver/pkg/registry/customresource/tableconvertor).

import { age, ageColumn, type Column, nameColumn } from '#kinds'
import { type AnyObject, goValueText, type Json } from '#objects'
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
      if (typeof value !== 'string') return null
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : age(value, now)
    default:
      return printed(value)
  }
}

const printed = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : goValueText(value as Json)
