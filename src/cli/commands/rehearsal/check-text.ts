// A check as people read it, in a terminal and in a comment.

import { type ApplicationReport, type CheckReport, several } from '#lab'
import { formatTable } from '../../output.ts'
import { escaped, fenced } from './markdown.ts'
import { indented, inOrderText, revisionText, settledText, troubleLines } from './words.ts'

const placeOf = ({ repository, path }: CheckReport): string =>
  path === '.' || path === '' ? repository : `${repository}, ${path}`

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

const ill = ({ applications }: CheckReport): readonly ApplicationReport[] => applications.filter((app) => !app.inOrder)

export function checkTable(report: CheckReport): string {
  return [
    `${report.inOrder ? '✓' : '✗'} ${placeOf(report)} at ${revisionText(report.revision)}: ${summary(report)}`,
    '',
    formatTable(['APPLICATION', 'SYNC', 'HEALTH', 'OBJECTS', 'REVISION'], rowsOf(report)),
    ...ill(report).flatMap((app) => ['', app.name, ...indented(whyOf(app))]),
    ...(report.failingLoops.length === 0 ? [] : ['', ...loopLines(report)]),
  ].join('\n')
}

export function checkMarkdown(report: CheckReport): string {
  const head = `### ${report.inOrder ? '✅' : '❌'} Check of ${escaped(placeOf(report))} at ${escaped(revisionText(report.revision))}`
  const rows = rowsOf(report).map((cells) => `| ${cells.map(escaped).join(' | ')} |`)
  return [
    head,
    '',
    `${summary(report)}.`,
    ...ill(report).flatMap((app) => [
      '',
      `**${escaped(app.name)}**: ${app.sync}, ${app.health}`,
      '',
      ...fenced(whyOf(app)),
    ]),
    ...(report.failingLoops.length === 0 ? [] : ['', ...fenced(loopLines(report))]),
    '',
    '<details><summary>All Applications</summary>',
    '',
    '| Application | Sync | Health | Objects | Revision |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    '</details>',
  ].join('\n')
}
