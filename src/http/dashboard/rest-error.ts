// Errors of the REST interface: `{error, message, code}` with gRPC's codes, as Argo CD's. The API server's refusals
// become the code that means the same.

import { ApiError, type StatusReason } from '#api'
import { ActionFault, GenerationFault } from '#gitops'
import { SourceError } from '#gitops/source'

const codes = {
  invalidArgument: { code: 3, status: 400 },
  notFound: { code: 5, status: 404 },
  alreadyExists: { code: 6, status: 409 },
  permissionDenied: { code: 7, status: 403 },
  failedPrecondition: { code: 9, status: 400 },
  aborted: { code: 10, status: 409 },
  unimplemented: { code: 12, status: 501 },
  internal: { code: 13, status: 500 },
  unavailable: { code: 14, status: 503 },
  unauthenticated: { code: 16, status: 401 },
} as const

export type RestCode = keyof typeof codes

export class RestError extends Error {
  override readonly name = 'RestError'
  readonly code: RestCode
  constructor(code: RestCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const ofReason: Partial<Readonly<Record<StatusReason, RestCode>>> = {
  Unauthorized: 'unauthenticated',
  Forbidden: 'permissionDenied',
  NotFound: 'notFound',
  AlreadyExists: 'alreadyExists',
  Conflict: 'aborted',
  Invalid: 'invalidArgument',
  BadRequest: 'invalidArgument',
  MethodNotAllowed: 'invalidArgument',
  ServiceUnavailable: 'unavailable',
  Timeout: 'unavailable',
  ServerTimeout: 'unavailable',
}

const ofAction: Readonly<Record<ActionFault['reason'], RestCode>> = {
  invalid: 'invalidArgument',
  disabled: 'failedPrecondition',
  failed: 'failedPrecondition',
  denied: 'permissionDenied',
}

export interface RestFailure {
  readonly status: number
  readonly body: { readonly error: string; readonly message: string; readonly code: number }
}

/** How an error goes over the wire; undefined for one that is nobody's fault but ours. */
export function failureOf(error: unknown): RestFailure | undefined {
  if (error instanceof RestError) return failure(error.code, error.message)
  if (error instanceof ApiError) return failure(ofReason[error.reason] ?? 'internal', error.message)
  if (error instanceof ActionFault) return failure(ofAction[error.reason], error.message)
  if (error instanceof GenerationFault) return failure('invalidArgument', error.message)
  if (error instanceof SourceError)
    return failure(error.code === 'RevisionNotFound' ? 'notFound' : 'failedPrecondition', error.message)
  const { statusCode, message } = error as { readonly statusCode?: number; readonly message?: string }
  // Fastify's own refusals of malformed requests.
  if (statusCode !== undefined && statusCode < 500)
    return { ...failure('invalidArgument', message ?? ''), status: statusCode }
  return undefined
}

export function failure(code: RestCode, message: string): RestFailure {
  const { code: number, status } = codes[code]
  return { status, body: { error: message, message, code: number } }
}
