// When a failed sync is tried again. Pure.

import type { RetryStrategy } from '#kinds'
import { durationMs } from '#objects'

/** Go's durations (`1m30s`), and whole numbers as seconds; undefined for what is neither. */
export const parseDuration = (text: string): number | undefined =>
  /^\d+$/.test(text) ? Number(text) * 1000 : durationMs(text)

export const defaultBackoffMs = 5000
export const defaultFactor = 2
export const defaultMaxBackoffMs = 180_000

/** How long to wait before the attempt after `retries` earlier ones: duration × factor^retries, up to maxDuration. */
export function retryDelayMs(retry: RetryStrategy | undefined, retries: number): number {
  const backoff = retry?.backoff
  const first = parseDuration(backoff?.duration ?? '') ?? defaultBackoffMs
  const most = parseDuration(backoff?.maxDuration ?? '') ?? defaultMaxBackoffMs
  return Math.min(first * (backoff?.factor ?? defaultFactor) ** retries, most)
}

export const mayRetry = (retry: RetryStrategy | undefined, retries: number): boolean => {
  const limit = retry?.limit ?? 0
  return limit < 0 || retries < limit
}

/** `3:04PM`, in UTC, as Argo CD's messages name a time. */
export function kitchenTime(atMs: number): string {
  const date = new Date(atMs)
  const hours = date.getUTCHours()
  return `${hours % 12 === 0 ? 12 : hours % 12}:${String(date.getUTCMinutes()).padStart(2, '0')}${hours < 12 ? 'AM' : 'PM'}`
}
