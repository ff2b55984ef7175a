// A check as people read it, in a terminal and in a comment.

import { type ApplicationReport, type CheckReport, several } from '#lab'
import { formatTable } from '../../output.ts'
import { bounded, escaped, fenced } from './markdown.ts'
import {
  assumedLines,
  type Block,
  gathered,
  indented,
  inOrderText,
  placeOf,
  revisionText,
  settledText,
  troubleLines,
} from './words.ts'

const summary = ({ counts, end }: CheckReport): string =>
  `${inOrderText(counts.inOrder, counts.applications)} with ${several(counts.objects, 'object')}, ${settledText(end)}`

const rowsOf = ({ applications }: CheckReport): readonly (readonly string[])[] =>
  applications.map(({ name, sync, health, objects, revision }) => [name, sync, health, String(objects), revision])

const loopLines = ({ failingLoops }: CheckReport): readonly string[] =>
  failingLoops.map(({ loop, key, error }) => `✗ loop ${loop} fails on ${key}: ${error}`)

/** At least its state, where nothing of it says more. */
const whyOf = (app: ApplicationReport): readonly string[] => {
  const lines = troubleLines(app)
  const { sync, health, message } = app
  return lines.length > 0 ? lines : [`✗ ${sync}, ${health}${message === undefined ? '' : `: ${message}`}`]
}

/** Those of which the same is to be said are named together. */
const ill = ({ applications }: CheckReport): readonly Block[] =>
  gathered(
    applications.flatMap((app) => {
      const { name, sync, health, inOrder } = app
      return inOrder ? [] : [{ name, head: `${sync}, ${health}`, lines: whyOf(app) }]
    }),
  )

export function checkTable(report: CheckReport): string {
  return [
    `${report.inOrder ? '✓' : '✗'} ${placeOf(report)} at ${revisionText(report.revision)}: ${summary(report)}`,
    '',
    formatTable(['APPLICATION', 'SYNC', 'HEALTH', 'OBJECTS', 'REVISION'], rowsOf(report)),
    ...ill(report).flatMap(({ name, lines }) => ['', name, ...indented(lines)]),
    ...(report.failingLoops.length === 0 ? [] : ['', ...loopLines(report)]),
    ...assumedLines(report).flatMap((line) => ['', line]),
  ].join('\n')
}

const rowsMax = 200

export function checkMarkdown(report: CheckReport): string {
  const mark = report.inOrder ? '✅' : '❌'
  const rows = rowsOf(report).map((cells) => `| ${cells.map(escaped).join(' | ')} |`)
  const more = rows.length > rowsMax ? ['', `… and ${rows.length - rowsMax} more`] : []
  const loops = loopLines(report)
  return bounded({
    head: [
      `### ${mark} Check of ${escaped(placeOf(report))} at ${escaped(revisionText(report.revision))}`,
      '',
      `${summary(report)}.`,
      '',
      ...assumedLines(report).flatMap((line) => [`${escaped(line)}.`, '']),
      ...(loops.length === 0 ? [] : [...fenced(loops), '']),
    ],
    parts: ill(report).map(({ name, head, lines }) =>
      [`**${escaped(name)}**: ${head}`, '', ...fenced(lines), ''].join('\n'),
    ),
    foot: [
      '<details><summary>All Applications</summary>',
      '',
      '| Application | Sync | Health | Objects | Revision |',
      '|---|---|---|---|---|',
      ...rows.slice(0, rowsMax),
      ...more,
      '',
      '</details>',
    ],
  })
}
