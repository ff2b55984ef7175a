// A plan as a comment of a pull request: the summary first, details folded, and never longer than a comment may be.

import type { ApplicationPlan, ObjectPlan, PlanReport } from '#lab'
import { escaped, fenced } from './markdown.ts'
import { diffLines, headLine, manifestLines } from './object-lines.ts'
import {
  beginText,
  changeText,
  countText,
  disruptionLines,
  endText,
  orderLines,
  statesText,
  untoldTroubles,
} from './plan-words.ts'
import { revisionText } from './words.ts'

/** GitHub takes 65,536 characters, GitLab more. */
const lengthMax = 60_000
const objectsMax = 40

export function planMarkdown(report: PlanReport): string {
  const head = headOf(report)
  const foot = ['', endText(report)]
  const whole = report.applications.map((app) => applicationText(app).join('\n'))
  const room = lengthMax - head.join('\n').length - foot.join('\n').length - 200
  const shown: string[] = []
  let length = 0
  for (const text of whole) {
    if (length + text.length > room) break
    shown.push(text)
    length += text.length + 1
  }
  const left = whole.length - shown.length
  const rest =
    left === 0 ? [] : ['', `… and ${left} more: the comment would be too long. \`homeostat plan\` shows all.`]
  return [...head, ...shown, ...rest, ...foot].join('\n')
}

function headOf(report: PlanReport): readonly string[] {
  const { repository, path, from, to, warnings, inOrder, changes } = report
  const mark = !inOrder ? '❌' : warnings.length > 0 ? '⚠️' : changes ? '📋' : '✅'
  const place = path === '.' || path === '' ? repository : `${repository}, ${path}`
  const begin = beginText(report)
  const felt = disruptionLines(report)
  return [
    `### ${mark} Plan of ${escaped(place)}: ${changeText(report)}`,
    '',
    `${escaped(revisionText(from))} → ${escaped(revisionText(to))}`,
    ...(warnings.length === 0
      ? []
      : ['', '> [!WARNING]', ...warnings.slice(0, 20).map((text) => `> ${escaped(text)}  `)]),
    ...(felt.length === 0 ? [] : ['', '> [!NOTE]', ...felt.slice(0, 20).map((text) => `> ${escaped(text)}  `)]),
    ...(begin === undefined ? [] : ['', begin]),
    '',
  ]
}

function applicationText(plan: ApplicationPlan): readonly string[] {
  const { name, change, counts, objects, order } = plan
  const what = change === 'unchanged' ? '' : `: ${countText(counts)}`
  const stages = orderLines(order)
  const troubles = untoldTroubles(plan)
  const isOpen = counts.failed > 0 || troubles.length > 0 ? ' open' : ''
  return [
    `<details${isOpen}><summary><b>${html(name)}</b>${what} (${html(statesText(plan))})</summary>`,
    '',
    ...(objects.length === 0 ? [] : fenced(objects.slice(0, objectsMax).flatMap(objectLines), 'diff')),
    ...(objects.length > objectsMax ? ['', `… and ${objects.length - objectsMax} more objects`] : []),
    ...(stages.length === 0 ? [] : ['', 'In this order:', '', ...fenced(stages)]),
    ...(troubles.length === 0 ? [] : ['', ...fenced(troubles)]),
    '',
    '</details>',
    '',
  ]
}

const objectLines = (plan: ObjectPlan): readonly string[] => [
  headLine(plan).replace(/^[~·>✗…]/, '! $&'),
  ...plan.fields.flatMap(diffLines).map((line) => `${line.slice(0, 1)}   ${line.slice(1)}`.trimEnd()),
  ...manifestLines(plan).map((line) => `${line.slice(0, 1)}   ${line.slice(1)}`),
]

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b')
