// Counts in the status of workloads: none negative, none larger than what it is a part of.

import { type FieldError, invalid } from '../field-error.ts'
import { nonNegativeText } from '../metadata/formats.ts'
import { without } from '../sharing.ts'

type Counts = Readonly<Record<string, unknown>>

const count = (status: Counts, field: string): number => (typeof status[field] === 'number' ? status[field] : 0)

export function checkCounts(status: object, fields: readonly string[], errors: FieldError[]): void {
  for (const field of fields) {
    const value = count(status as Counts, field)
    if (value < 0) errors.push(invalid(`status.${field}`, value, nonNegativeText))
  }
}

/** Each of `fields` is a part of status.replicas. */
export function checkPartsOfReplicas(status: object, fields: readonly string[], errors: FieldError[]): void {
  const replicas = count(status as Counts, 'replicas')
  for (const field of fields) {
    const value = count(status as Counts, field)
    if (value > replicas) errors.push(invalid(`status.${field}`, value, 'cannot be greater than status.replicas'))
  }
}

export function checkAvailableAreReady(status: object, errors: FieldError[]): void {
  const available = count(status as Counts, 'availableReplicas')
  if (available > count(status as Counts, 'readyReplicas'))
    errors.push(invalid('status.availableReplicas', available, 'cannot be greater than readyReplicas'))
}

/** A collision count only grows. */
export function checkCollisions(status: object | undefined, old: object | undefined, errors: FieldError[]): void {
  const before = (old as Counts | undefined)?.['collisionCount']
  const now = (status as Counts | undefined)?.['collisionCount']
  if (typeof before === 'number' && (typeof now !== 'number' || now < before))
    errors.push(invalid('status.collisionCount', typeof now === 'number' ? now : 0, 'cannot be decremented'))
}

interface Ending {
  readonly terminatingReplicas?: number
}

/** Replicas that are ending are counted by a feature that is off: what is not stored already is dropped. */
export const withoutEnding = <T extends Ending>(status: T, old: Ending | undefined): T =>
  old?.terminatingReplicas === undefined ? (without<Ending>(status, 'terminatingReplicas') as T) : status
