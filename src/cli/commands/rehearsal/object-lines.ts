// What becomes of one object, in lines: fields with both values, longer texts line by line.

import { stringify } from 'yaml'
import { lineDiff } from '#insight'
import type { FieldChange, ObjectPlan } from '#lab'
import type { Json } from '#objects'
import { objectText } from './words.ts'

export const marks = { added: '+', changed: '~', removed: '-', kept: '·', moved: '>' } as const

/** Shorter values stand on one line. */
const lineWidth = 100

/** What stands behind the name of an object. */
const remarks = {
  ...{ added: '', changed: '', removed: 'deleted' },
  ...{ kept: 'gone from git, stays: nothing prunes it', moved: '' },
} as const

export function headLine(plan: ObjectPlan): string {
  const { change, outcome, message } = plan
  if (outcome === 'failed') return `✗ ${objectText(plan)}  cannot be ${attempts[change]}: ${message ?? ''}`
  if (outcome === 'blocked') return `… ${objectText(plan)}  is not ${attempts[change]}: the sync does not come to it`
  const remark = message ?? remarks[change]
  return `${marks[change]} ${objectText(plan)}${remark === '' ? '' : `  ${remark}`}`
}

const attempts = {
  ...{ added: 'created', changed: 'changed', removed: 'deleted', kept: 'pruned', moved: 'moved' },
} as const

const oneLine = (value: Json | undefined): string | undefined => {
  if (value === undefined) return 'absent'
  if (typeof value === 'string') return /[\n\r]/.test(value) ? undefined : value === '' ? '""' : value
  return JSON.stringify(value)
}

/** `- `, `+ ` or two spaces begin every line: a diff that tools can colour. */
export function diffLines({ path, from, to }: FieldChange): readonly string[] {
  const [a, b] = [linesOf(from), linesOf(to)]
  if (a.length <= 1 && b.length <= 1)
    return [
      ...(from === undefined ? [] : [`- ${path}: ${a[0] ?? ''}`]),
      ...(to === undefined ? [] : [`+ ${path}: ${b[0] ?? ''}`]),
    ]
  return [
    `  ${path}:`,
    ...lineDiff(a, b).map((line) => (line === '@@' ? '      …' : `${line.slice(0, 1)}   ${line.slice(1)}`.trimEnd())),
  ]
}

/** `path: 2 → 4` where both fit into a line. */
export function fieldLines(field: FieldChange): readonly string[] {
  const [from, to] = [oneLine(field.from), oneLine(field.to)]
  const line = `${field.path}: ${from} → ${to}`
  return from === undefined || to === undefined || line.length > lineWidth ? diffLines(field) : [line]
}

function linesOf(value: Json | undefined): readonly string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return value.replace(/\n$/, '').split('\n')
  if (value === null || typeof value !== 'object') return [String(value)]
  return stringify(value, { sortMapEntries: true, aliasDuplicateObjects: false }).trimEnd().split('\n')
}

export const manifestLines = ({ manifest }: ObjectPlan): readonly string[] =>
  manifest === undefined ? [] : linesOf(manifest).map((line) => `+ ${line}`)
