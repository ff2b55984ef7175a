// What a plan says in both of its forms: counts, states, the order of a sync.

import { type ApplicationPlan, type ObjectName, type PlanCounts, type PlanReport, type SyncStage, several } from '#lab'
import { inOrderText, settledText, troubleLines } from './words.ts'

/** `1 object added, 3 changed, 1 deleted`. */
export function countText({ added, changed, removed, kept, moved, failed, blocked }: PlanCounts): string {
  const parts = [
    ...(added > 0 ? [`${added} added`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(removed > 0 ? [`${removed} deleted`] : []),
    ...(moved > 0 ? [`${moved} moved`] : []),
    ...(kept > 0 ? [`${kept} left behind`] : []),
    ...(failed > 0 ? [`${failed} refused`] : []),
    ...(blocked > 0 ? [`${blocked} held up`] : []),
  ]
  return parts.length === 0 ? 'no object changes' : parts.join(', ')
}

export function changeText({ applications, counts, end }: PlanReport): string {
  const changing = applications.filter(({ change }) => change !== 'unchanged').length
  const unknown = applications.filter(({ after }) => after?.sync === 'Unknown').length
  const rest = unknown === 0 ? '' : `, ${unknown} could not be compared`
  if (changing === 0) return `nothing changes in ${several(end.applications, 'Application')}${rest}`
  return `${several(changing, 'Application')} of ${Math.max(end.applications, changing)}: ${countText(counts)}${rest}`
}

const stateText = ({ sync, health }: { readonly sync: string; readonly health: string }): string => `${sync}, ${health}`

/** `Synced, Healthy → Synced, Degraded`. */
export function statesText({ change, before, after }: ApplicationPlan): string {
  if (after === undefined) return 'deleted'
  const now = stateText(after)
  if (before === undefined) return `${change}: ${now}`
  return stateText(before) === now ? now : `${stateText(before)} → ${now}`
}

export const endText = ({ end }: PlanReport): string =>
  `In the end ${inOrderText(end.inOrder, end.applications)}, ${settledText(end)}.`

/** Undefined when all was well. */
export const beginText = ({ before }: PlanReport): string | undefined =>
  before.inOrder === before.applications && before.settled
    ? undefined
    : `Before, ${inOrderText(before.inOrder, before.applications)}, ${settledText(before)}.`

/** Undefined where no object changes. */
export const countsOf = ({ objects, counts }: ApplicationPlan): string | undefined =>
  objects.length === 0 ? undefined : countText(counts)

/** The stages of a sync below one another; none where there is one only. */
export function orderLines(order: readonly SyncStage[]): readonly string[] {
  if (order.length < 2) return []
  const rows = order.map(({ phase, wave, objects, atSeconds }) => {
    const names = objects.slice(0, namesMax).map(({ kind, name }) => `${kind} ${name}`)
    const rest = objects.length > namesMax ? [`${objects.length - namesMax} more`] : []
    return [`after ${atSeconds} s`, wave === 0 ? phase : `${phase}, wave ${wave}`, [...names, ...rest].join(', ')]
  })
  const width = (column: number): number => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))
  return rows.map(([at = '', stage = '', what = '']) => `${at.padEnd(width(0))}  ${stage.padEnd(width(1))}  ${what}`)
}

const namesMax = 4

/** Why an application is not in order, beyond what was said of its objects. */
export function untoldTroubles({ objects, after }: ApplicationPlan): readonly string[] {
  if (after === undefined) return []
  const isTold = (trouble: ObjectName): boolean =>
    objects.some(
      (each) =>
        (each.outcome !== 'done' || each.change === 'kept') &&
        each.kind === trouble.kind &&
        each.namespace === trouble.namespace &&
        each.name === trouble.name,
    )
  const messages = objects.flatMap(({ outcome, message }) => (outcome === 'failed' && message ? [message] : []))
  const isNew = (text: string): boolean => !messages.some((message) => text.includes(message))
  const rest = { ...after, troubles: after.troubles.filter((trouble) => !isTold(trouble)) }
  return troubleLines(rest).filter(isNew)
}

export const disruptionLines = ({ disruptions }: PlanReport): readonly string[] =>
  disruptions.map(({ kind, namespace, name, message }) => `${kind} ${namespace}/${name}: ${message}`)
