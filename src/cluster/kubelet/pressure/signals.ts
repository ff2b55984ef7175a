// What a kubelet watches on its node, and below which amounts it evicts: signals, their thresholds, what they are called
// (eviction/helpers.go, the defaults of KubeletConfiguration). Pure.

import { quantityValue, wholeQuantity } from '#objects'
import type { PressureType } from '../node-object.ts'

export const signals = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
] as const
export type Signal = (typeof signals)[number]
export type EvictedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids'

interface Names {
  readonly resource: EvictedResource
  readonly condition: PressureType
}

export const namesOf: Readonly<Record<Signal, Names>> = {
  'memory.available': { resource: 'memory', condition: 'MemoryPressure' },
  'nodefs.available': { resource: 'ephemeral-storage', condition: 'DiskPressure' },
  'nodefs.inodesFree': { resource: 'inodes', condition: 'DiskPressure' },
  'imagefs.available': { resource: 'ephemeral-storage', condition: 'DiskPressure' },
  'imagefs.inodesFree': { resource: 'inodes', condition: 'DiskPressure' },
  'pid.available': { resource: 'pids', condition: 'PIDPressure' },
}

/** There is none for pid.available unless somebody sets one. */
export const usualThresholds: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'imagefs.available': '15%',
  'nodefs.inodesFree': '5%',
  'imagefs.inodesFree': '5%',
}

/** How much there is of something. */
export interface Observation {
  readonly available: number
  readonly capacity: number
}

export type Observations = { readonly [signal in Signal]?: Observation }

export interface Met {
  readonly signal: Signal
  readonly threshold: number
  readonly available: number
}

const isSignal = (name: string): name is Signal => (signals as readonly string[]).includes(name)

/** A quantity, or a share of the capacity; undefined when it is neither. */
export function amountFrom(value: string, capacity: number): number | undefined {
  const share = /^([0-9.]+)%$/.exec(value)
  // Shares are kept in 32 bits, and what they come to is cut.
  if (share !== null) return Math.trunc(capacity * Math.fround(Number(share[1]) / 100))
  try {
    return quantityValue(value)
  } catch {
    return undefined
  }
}

/** Memory comes first, what nothing can be reclaimed for last. */
const order: Readonly<Record<EvictedResource, number>> = { memory: 0, 'ephemeral-storage': 1, inodes: 1, pids: 1 }

/** The thresholds that are met, in the order in which they are seen to. */
export function metThresholds(
  observations: Observations,
  thresholds: Readonly<Record<string, string>> = usualThresholds,
): readonly Met[] {
  const met = Object.entries(thresholds).flatMap(([signal, value]) => {
    const observed = isSignal(signal) ? observations[signal] : undefined
    if (!isSignal(signal) || observed === undefined) return []
    const threshold = amountFrom(value, observed.capacity)
    return threshold !== undefined && observed.available < threshold
      ? [{ signal, threshold, available: observed.available }]
      : []
  })
  return met.sort((a, b) => order[namesOf[a.signal].resource] - order[namesOf[b.signal].resource])
}

export const conditionsOf = (met: readonly Met[]): ReadonlySet<PressureType> =>
  new Set(met.map(({ signal }) => namesOf[signal].condition))

/** As the kubelet prints amounts: `100Mi`, `49364992`. */
export const binaryText = (amount: number): string => wholeQuantity(Math.trunc(amount), 'BinarySI')
