// A plan as people read it in a terminal.

import type { ApplicationPlan, PlanReport } from '#lab'
import { fieldLines, headLine } from './object-lines.ts'
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
import { assumedLines, type Block, gathered, indented, placeOf, revisionText } from './words.ts'

export function planTable(report: PlanReport): string {
  const { from, to, warnings, applications } = report
  const begin = beginText(report)
  return [
    `${placeOf(report)}: ${revisionText(from)} → ${revisionText(to)}`,
    ...(to.subject === '' ? [] : [`  ${to.subject}`]),
    '',
    changeText(report),
    ...(warnings.length === 0 ? [] : ['', ...warnings.map((text) => `! ${text}`)]),
    ...gathered(applications.map(applicationBlock)).flatMap(({ name, head, lines }) => [
      '',
      `${name}${head}`,
      ...indented(lines),
    ]),
    ...section('Felt on the way', disruptionLines(report)),
    '',
    ...assumedLines(report),
    ...(begin === undefined ? [] : [begin]),
    endText(report),
  ].join('\n')
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', title, ...indented(lines.map((line) => `! ${line}`))]

function applicationBlock(plan: ApplicationPlan): Block {
  const { name, objects, order } = plan
  const counts = countsOf(plan)
  const stages = orderLines(order)
  return {
    name,
    head: `: ${statesText(plan)}${counts === undefined ? '' : `  (${counts})`}`,
    lines: [
      ...objects.flatMap((each) => [headLine(each), ...indented(each.fields.flatMap(fieldLines), '    ')]),
      ...(stages.length === 0 ? [] : ['in this order', ...indented(stages)]),
      ...untoldTroubles(plan),
    ],
  }
}
