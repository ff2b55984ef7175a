// A request that is not carried out is answered with the Status that says why; this is the one place that puts both together.

import type { AnyObject } from '#objects'
import { ApiError, type ApiErrorParts } from './error.ts'
import type { ApiResponse } from './request.ts'

export function refusal(failure: ApiError | ApiErrorParts): ApiResponse {
  const error = failure instanceof ApiError ? failure : new ApiError(failure)
  return { status: error.code, body: { type: 'object', object: error.toStatus() as unknown as AnyObject } }
}
