// The one error of the contract: a Kubernetes Status. Thrown by the client, and inside the API server on the way to
// its response; the same on the wire and in process. Reasons are those of k8s.io/apimachinery metav1.StatusReason.

export type StatusReason =
  | ''
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StoreReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable'
  | 'NonZeroExitCode'

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly [field: string]: never }
  readonly status: 'Failure' | 'Success'
  readonly message?: string
  readonly reason?: StatusReason
  readonly details?: StatusDetails
  readonly code?: number
}

export interface ApiErrorParts {
  readonly code: number
  readonly reason: StatusReason
  readonly message: string
  readonly details?: StatusDetails
}

export class ApiError extends Error {
  readonly code: number
  readonly reason: StatusReason
  readonly details: StatusDetails | undefined

  constructor(parts: ApiErrorParts, options?: ErrorOptions) {
    super(parts.message, options)
    this.name = 'ApiError'
    this.code = parts.code
    this.reason = parts.reason
    this.details = parts.details
  }

  /** The Status object that goes over the wire. */
  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    }
  }
}

/** A failure that is no refusal, as Kubernetes' NewInternalError words it. */
export const internalError = (message: string): ApiError =>
  new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  })

/** Turns a failure Status, as received, back into the error that it was. */
export function errorFromStatus(status: Partial<Status>, httpCode: number): ApiError {
  return new ApiError({
    code: status.code ?? httpCode,
    reason: status.reason ?? '',
    message: status.message ?? `the server answered with HTTP ${httpCode}`,
    ...(status.details === undefined ? {} : { details: status.details }),
  })
}

const hasReason = (error: unknown, ...reasons: readonly StatusReason[]): boolean =>
  error instanceof ApiError && reasons.includes(error.reason)

export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound')
export const isConflict = (error: unknown): boolean => hasReason(error, 'Conflict')
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists')
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid')
export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden')
/** The revision asked for is no longer (or not yet) known: list again. */
export const isExpired = (error: unknown): boolean => hasReason(error, 'Expired', 'Gone')
