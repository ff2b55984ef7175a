// How long a request may take: the `timeout` of its query, which is looked at before anything else is, even who asks.

import { ApiError } from '#api'
import { DurationError, parseGoDuration } from '#objects'
import type { Route } from './route.ts'

/** Subresources whose answers last as long as somebody listens. */
const lasting = ['attach', 'exec', 'log', 'portforward', 'proxy']

export function deadlineMs(route: Route, mostMs: number): number {
  if (route.type !== 'request') return mostMs
  const { verb, subresource = '', query } = route.target
  const asked = query?.['timeout'] ?? ''
  if (asked === '' || verb === 'watch' || lasting.includes(subresource)) return mostMs
  const ms = parsed(asked)
  return ms > 0 ? Math.min(ms, mostMs) : mostMs
}

function parsed(text: string): number {
  try {
    return parseGoDuration(text)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    const message = `invalid timeout specified in the request URL - ${error.message}`
    throw new ApiError({ code: 400, reason: 'BadRequest', message })
  }
}
