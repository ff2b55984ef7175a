// The three ways in which a result is printed: a table for people, JSON and YAML for programs.

import { stringify } from 'yaml'
import { CommandError, exitCode } from './exit-code.ts'
import type { Terminal } from './terminal.ts'

export const outputFormats = ['table', 'json', 'yaml'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Checks the value of `-o`. */
export function parseOutputFormat(value: string): OutputFormat {
  const format = outputFormats.find((name) => name === value)
  if (format === undefined)
    throw new CommandError(`-o ${value}: use one of ${outputFormats.join(', ')}`, exitCode.usage)
  return format
}

/** Rows under a head line, columns padded as kubectl does (three spaces between). */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === cells.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('   ')
      .trimEnd()
  return [head, ...rows].map(line).join('\n')
}

/** Prints `value` as JSON or YAML, or whatever `table` makes of it. */
export function printResult(terminal: Terminal, format: OutputFormat, value: unknown, table: () => string): void {
  if (format === 'json') terminal.out(JSON.stringify(value, null, 2))
  else if (format === 'yaml') terminal.out(stringify(value).trimEnd())
  else terminal.out(table())
}
