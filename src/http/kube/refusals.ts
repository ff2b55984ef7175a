// What the door itself refuses, whatever stands behind it.

import { ApiError, type ApiResponse } from '#api'
import { withoutMarkup } from '#apiserver'

export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource'
  return new ApiError({ code: 405, reason: 'MethodNotAllowed', message, details: {} })
}

export function tooManyRequests(): ApiError {
  const message = 'Too many requests, please try again later.'
  return new ApiError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 1 } })
}

export function tooLate(): ApiError {
  const message = 'Timeout: request did not complete within requested timeout - context deadline exceeded'
  return new ApiError({ code: 504, reason: 'Timeout', message, details: {} })
}

/** A fault that is told as a page of text, before anybody has looked at what form the answer shall have. */
export class PlainFault extends ApiError {
  readonly page: string

  constructor(url: string, why: string) {
    super({ code: 500, reason: 'InternalError', message: `Internal error occurred: ${why}` })
    this.page = `${withoutMarkup(`Internal Server Error: ${JSON.stringify(url)}: ${why}`)}\n`
  }
}

export const pageOf = ({ code, page }: PlainFault): ApiResponse => ({
  status: code,
  headers: { 'x-content-type-options': 'nosniff' },
  body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: page },
})
