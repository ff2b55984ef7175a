// How long tokens are good: Go's durations, or seconds as Argo CD's clients send them (numbers, or texts of numbers). Pure.

import { z } from 'zod'
import { DurationError, parseGoDuration } from '#objects'

/** Undefined for what is no duration. */
export function secondsIn(text: string): number | undefined {
  try {
    return Math.floor(parseGoDuration(text) / 1000)
  } catch (error) {
    if (error instanceof DurationError) return undefined
    throw error
  }
}

/** 0, or nothing: for ever. */
export const expirySeconds = z
  .union([z.number().int(), z.string().regex(/^\d+$/)])
  .nullish()
  .transform((value) => Number(value ?? 0))
  .refine((value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER, 'expected seconds')
