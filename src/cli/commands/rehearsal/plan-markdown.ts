// A plan as a comment of a pull request: the summary first, details folded, and never longer than a comment may be.

import type { ApplicationPlan, ObjectPlan, PlanReport } from '#lab'
import { bounded, escaped, fenced } from './markdown.ts'
import { diffLines, headLine, manifestLines } from './object-lines.ts'
import {
  beginText,
  changeText,
  countsOf,
  disruptionLines,
  endText,
  orderLines,
  statesText,
  untoldTroubles,
} from './plan-words.ts'
import { assumedLines, type Block, gathered, placeOf, revisionText } from './words.ts'

const objectsMax = 40

export const planMarkdown = (report: PlanReport): string =>
  bounded({
    head: headOf(report),
    parts: gathered(report.applications.map(applicationBlock)).map(blockText),
    foot: [...assumedLines(report).map((line) => `${escaped(line)}  `), endText(report)],
  })

function headOf(report: PlanReport): readonly string[] {
  const { from, to, warnings, inOrder, changes } = report
  const mark = !inOrder ? '❌' : warnings.length > 0 ? '⚠️' : changes ? '📋' : '✅'
  const begin = beginText(report)
  const felt = disruptionLines(report)
  return [
    `### ${mark} Plan of ${escaped(placeOf(report))}: ${changeText(report)}`,
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

interface Folded extends Block {
  readonly isOpen: boolean
}

function applicationBlock(plan: ApplicationPlan): Folded {
  const { name, counts, objects, order } = plan
  const what = countsOf(plan)
  const stages = orderLines(order)
  const troubles = untoldTroubles(plan)
  return {
    name,
    head: `${what === undefined ? '' : `: ${what}`} (${statesText(plan)})`,
    isOpen: counts.failed > 0 || troubles.length > 0,
    lines: [
      ...(objects.length === 0 ? [] : fenced(objects.slice(0, objectsMax).flatMap(objectLines), 'diff')),
      ...(objects.length > objectsMax ? ['', `… and ${objects.length - objectsMax} more objects`] : []),
      ...(stages.length === 0 ? [] : ['', 'In this order:', '', ...fenced(stages)]),
      ...(troubles.length === 0 ? [] : ['', ...fenced(troubles)]),
    ],
  }
}

const blockText = ({ name, head, lines, isOpen }: Folded): string =>
  [
    `<details${isOpen ? ' open' : ''}><summary><b>${html(name)}</b>${html(head)}</summary>`,
    '',
    ...lines,
    '',
    '</details>',
    '',
  ].join('\n')

const objectLines = (plan: ObjectPlan): readonly string[] => [
  headLine(plan).replace(/^[~·>✗…]/, '! $&'),
  ...plan.fields.flatMap(diffLines).map((line) => `${line.slice(0, 1)}   ${line.slice(1)}`.trimEnd()),
  ...manifestLines(plan).map((line) => `${line.slice(0, 1)}   ${line.slice(1)}`),
]

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b')
