// What the door itself refuses, whatever stands behind it.

import { ApiError } from '#api'

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
