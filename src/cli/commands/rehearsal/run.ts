// What `check` and `plan` have in common when they run: their formats, and failures as one line.

import { stringify } from 'yaml'
import { CommandError, exitCode } from '../../exit-code.ts'
import type { Terminal } from '../../terminal.ts'

const formats = ['table', 'json', 'yaml', 'markdown'] as const
export type ReportFormat = (typeof formats)[number]

export function parseReportFormat(value: string): ReportFormat {
  const format = formats.find((name) => name === value)
  if (format === undefined) throw new CommandError(`-o ${value}: use one of ${formats.join(', ')}`, exitCode.usage)
  return format
}

export interface Texts<T> {
  readonly table: (report: T) => string
  readonly markdown: (report: T) => string
}

export function printReport<T>(
  terminal: Terminal,
  report: T,
  { format, ...texts }: Texts<T> & { format: ReportFormat },
) {
  if (format === 'json') terminal.out(JSON.stringify(report, null, 2))
  else if (format === 'yaml') terminal.out(stringify(report, { aliasDuplicateObjects: false }).trimEnd())
  else terminal.out(harmless(texts[format](report)))
}

/** What a repository says must not steer the terminal, nor be taken for a command of the CI that reads the log. */
const harmless = (text: string): string =>
  text
    .replace(/[\p{Cc}]/gu, (mark) => (mark === '\n' || mark === '\t' ? mark : '\ufffd'))
    .replace(/^([ \t]*)::/gm, '$1:\u200b:')

/** What cannot be read, and what the cluster refuses of what is given to it, is one line. */
export async function played<T>(run: () => Promise<T>): Promise<T> {
  const { SourceError } = await import('#gitops')
  const { UsageError } = await import('#lab')
  try {
    return await run()
  } catch (cause) {
    if (cause instanceof SourceError) throw new CommandError(cause.message, exitCode.failed, { cause })
    if (cause instanceof UsageError) throw new CommandError(cause.message, exitCode.usage, { cause })
    throw cause
  }
}
