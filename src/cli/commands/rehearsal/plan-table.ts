// A plan as people read it in a terminal.

import type { ApplicationPlan, PlanReport } from '#lab'
import { fieldLines, headLine } from './object-lines.ts'
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
import { indented, revisionText } from './words.ts'

export function planTable(report: PlanReport): string {
  const { repository, path, from, to, warnings, applications } = report
  const begin = beginText(report)
  return [
    `${repository}${path === '.' || path === '' ? '' : `, ${path}`}: ${revisionText(from)} → ${revisionText(to)}`,
    ...(to.subject === '' ? [] : [`  ${to.subject}`]),
    '',
    changeText(report),
    ...(warnings.length === 0 ? [] : ['', ...warnings.map((text) => `! ${text}`)]),
    ...applications.flatMap((app) => ['', ...applicationLines(app)]),
    ...section('Felt on the way', disruptionLines(report)),
    '',
    ...(begin === undefined ? [] : [begin]),
    endText(report),
  ].join('\n')
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', title, ...indented(lines.map((line) => `! ${line}`))]

function applicationLines(plan: ApplicationPlan): readonly string[] {
  const { name, change, counts, objects, order } = plan
  const what = change === 'unchanged' ? '' : `  (${countText(counts)})`
  const stages = orderLines(order)
  return [
    `${name}: ${statesText(plan)}${what}`,
    ...objects.flatMap((each) => indented([headLine(each), ...indented(each.fields.flatMap(fieldLines), '    ')])),
    ...(stages.length === 0 ? [] : indented(['in this order', ...indented(stages)])),
    ...indented(untoldTroubles(plan)),
  ]
}
