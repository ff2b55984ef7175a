// When an application is compared anew although nothing woke it: Argo CD's poll of 120 s and a spread of up to 60 s. The
// spread comes from the application's name, so it needs no memory. Pure.

import type { Application } from '#kinds'
import { isEqual, parseTime } from '#objects'
import { refreshAnnotation } from './names.ts'

export const defaultPollMs = 120_000
const spreadMs = 60_000

/** A number in [0, 1) that is always the same for the same text. */
export function spread(text: string): number {
  let hash = 2166136261
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619)
  return (hash >>> 0) / 2 ** 32
}

/** World time at which the last comparison has expired; undefined with polling off. */
export function expiresAt(app: Application, pollMs: number): number | undefined {
  if (pollMs <= 0) return undefined
  const last = parseTime(app.status?.reconciledAt)
  const { namespace = '', name = '' } = app.metadata
  return last === undefined
    ? 0
    : last + pollMs + Math.floor(spread(`${namespace}/${name}`) * Math.min(spreadMs, pollMs / 2))
}

export type Refresh = 'normal' | 'hard'

/** What someone asked for by annotation. */
export function requestedRefresh(app: Application): Refresh | undefined {
  const value = app.metadata.annotations?.[refreshAnnotation]
  return value === undefined ? undefined : value === 'hard' ? 'hard' : 'normal'
}

/** What every write changes: a custom resource without a subresource for its status counts all of them as generations. */
const written: readonly string[] = ['resourceVersion', 'generation']

const isSameBut = (fields: readonly string[], a: object, b: object): boolean => {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => fields.includes(name) || left[name] === right[name] || isEqual(left[name], right[name]))
  )
}

/** A version that says nothing new but when it was compared: what the loop itself writes after most looks. */
export function isOnlyRefreshed(app: Application, old: Application): boolean {
  const [now, before] = [app.status ?? {}, old.status ?? {}]
  return (
    now.reconciledAt !== before.reconciledAt &&
    isSameBut(['reconciledAt'], now, before) &&
    isSameBut(written, app.metadata, old.metadata) &&
    isEqual(app.spec, old.spec) &&
    isEqual(app.operation, old.operation)
  )
}
