// Who changed what git says otherwise: the drift log has it, field by field. Pure.

import type { ApplicationResource } from '#kinds'
import type { Json } from '#objects'

/** An entry of the drift log, as the daemon tells it. */
export interface Changed {
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly change: 'Modified' | 'Deleted'
  readonly fields: readonly {
    readonly path: string
    readonly live?: Json
    readonly desired?: Json
    readonly manager?: string
    readonly managerTime?: string
  }[]
  readonly detectedAt: string
  readonly correctedAt?: string
}

/** What was changed behind the back of an Application (`name`, or `namespace/name`), newest first. */
export type Changes = (application: string) => Promise<readonly Changed[]> | readonly Changed[]

const fieldsMax = 5
const valueMax = 60

/** `spec.replicas is 9 and 3 in git: kubectl wrote it at 2026-01-05T09:00:00Z`. */
export function changesOf(changes: readonly Changed[], item: ApplicationResource): readonly string[] {
  const open = changes.find(
    ({ group, kind, namespace, name, correctedAt }) =>
      correctedAt === undefined &&
      kind === item.kind &&
      name === item.name &&
      group === (item.group ?? '') &&
      namespace === (item.namespace ?? ''),
  )
  if (open === undefined) return []
  if (open.change === 'Deleted') return [`somebody deleted it; seen at ${open.detectedAt}`]
  const told = open.fields.slice(0, fieldsMax).map(({ path, live, desired, manager, managerTime }) => {
    const who = manager === undefined ? `seen at ${open.detectedAt}` : `${manager} wrote it${at(managerTime)}`
    return `${path} is ${shown(live)}, and ${shown(desired)} in git: ${who}`
  })
  const more = open.fields.length - told.length
  return more > 0 ? [...told, `and ${more} more ${more === 1 ? 'field' : 'fields'}`] : told
}

const at = (time: string | undefined): string => (time === undefined ? '' : ` at ${time}`)

function shown(value: Json | undefined): string {
  if (value === undefined) return 'absent'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text
}
