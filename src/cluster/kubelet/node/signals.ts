// What a kubelet watches on its node: signals, what they are called, and how amounts of them are written
// (eviction/helpers.go). Pure.

import { quantityValue, wholeQuantity } from '#objects'
import type { PressureType } from './node-object.ts'

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

/** How much there is of something. */
export interface Observation {
  readonly available: number
  readonly capacity: number
}

export type Observations = { readonly [signal in Signal]?: Observation }

export const isSignal = (name: string): name is Signal => (signals as readonly string[]).includes(name)

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

/** As the kubelet prints amounts: `100Mi`, `49364992`. */
export const binaryText = (amount: number): string => wholeQuantity(Math.trunc(amount), 'BinarySI')
