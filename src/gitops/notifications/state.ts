// What was sent, kept on the application itself in Argo CD's annotation: trigger, condition, destination and what it was once
// per, with the time. So a restart sends nothing twice. Pure.

import type { Application } from '#kinds'
import type { Condition } from './config.ts'
import type { Destination } from './services/service.ts'

export const notifiedAnnotation = 'notified.notifications.argoproj.io'

/** Seconds since 1970 by key. */
export type Sent = Readonly<Record<string, number>>

const maxKept = 100

export function sentOf({ metadata }: Application): Sent {
  let value: unknown
  try {
    value = JSON.parse(metadata.annotations?.[notifiedAnnotation] ?? '{}')
  } catch {
    return {}
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}

export interface Item {
  readonly trigger: string
  readonly condition: Pick<Condition, 'key'>
  /** Empty: not once per anything. */
  readonly oncePer: string
  readonly destination: Destination
}

export const sentKey = ({ trigger, condition, oncePer, destination }: Item): string =>
  `${oncePer === '' ? '' : `${oncePer}:`}${trigger}:${condition.key}:${destination.service}:${destination.recipient}`

/** The annotation's value; null for none. The oldest go when there are many. */
export function annotationOf(sent: Sent): string | null {
  const newest = Object.entries(sent)
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxKept)
  return newest.length === 0 ? null : JSON.stringify(Object.fromEntries(newest.sort(([a], [b]) => (a < b ? -1 : 1))))
}
