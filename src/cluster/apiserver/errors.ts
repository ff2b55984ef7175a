// The refusals of the API server, in the words of k8s.io/apimachinery/pkg/api/errors. Thrown anywhere on the way of a
// request; the server turns them into a Status. `resource` is the group resource (`deployments.apps`).

import { ApiError, type StatusCause } from '#api'
import { type FieldError, resourceTable, toCause } from '#kinds'

/** What an error says of the resource it is about. */
export interface Qualified {
  readonly group: string
  readonly resource: string
}

export interface QualifiedKind {
  readonly group: string
  readonly kind: string
}

export const groupResource = ({ group, resource }: Qualified): string =>
  group === '' ? resource : `${resource}.${group}`

const groupKind = ({ group, kind }: QualifiedKind): string => (group === '' ? kind : `${kind}.${group}`)

const about = (what: Qualified, name: string) => ({
  ...(name === '' ? {} : { name }),
  ...(what.group === '' ? {} : { group: what.group }),
  kind: what.resource,
})

export const notFoundError = (what: Qualified, name: string): ApiError =>
  new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${groupResource(what)} ${JSON.stringify(name)} not found`,
    details: about(what, name),
  })

/**
 * Nothing serves the path. The router of the built-in groups answers a Status; any other path is, on the wire, the plain
 * page of Go's HTTP server.
 */
export class NoSuchPath extends ApiError {
  readonly isPlain: boolean
  constructor(isPlain: boolean) {
    super({
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    })
    this.isPlain = isPlain
  }
}

const builtInGroups: ReadonlySet<string> = new Set(resourceTable.map(({ group }) => group))

export const noSuchPath = (group: string): ApiError => new NoSuchPath(!builtInGroups.has(group))

export const alreadyExists = (what: Qualified, name: string, prefix = ''): ApiError =>
  new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${prefix}${groupResource(what)} ${JSON.stringify(name)} already exists`,
    details: about(what, name),
  })

export const conflict = (what: Qualified, name: string, why: string): ApiError =>
  new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${groupResource(what)} ${JSON.stringify(name)}: ${why}`,
    details: about(what, name),
  })

export const staleVersion =
  'the object has been modified; please apply your changes to the latest version and try again'

export const forbiddenError = (what: Qualified, name: string, why: string, causes?: readonly StatusCause[]): ApiError =>
  new ApiError({
    code: 403,
    reason: 'Forbidden',
    message:
      name === ''
        ? `${groupResource(what)} is forbidden: ${why}`
        : `${groupResource(what)} ${JSON.stringify(name)} is forbidden: ${why}`,
    details: { ...about(what, name), ...(causes === undefined ? {} : { causes }) },
  })

export const badRequest = (message: string): ApiError => new ApiError({ code: 400, reason: 'BadRequest', message })

/** A Go error that is no Status: code 500 and its bare text. */
export const plainError = (message: string): ApiError => new ApiError({ code: 500, reason: '', message })

/** The object cannot be shown in the form that was asked for. */
export const notAcceptable = (message: string): ApiError =>
  new ApiError({ code: 406, reason: 'NotAcceptable', message })

/** The path exists, but not with this method. */
export const methodNotAllowed = (): ApiError =>
  new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  })

export const unsupportedMediaType = (accepted: string): ApiError =>
  new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  })

const textOf = (error: FieldError): string => (error.field === '' ? error.message : `${error.field}: ${error.message}`)

/** 422 with one cause for each fault. Repeated texts are said once in the message, as in Go's aggregates. */
export function invalidError(what: QualifiedKind, name: string, errors: readonly FieldError[]): ApiError {
  const texts = [...new Set(errors.map(textOf))]
  const summary = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${groupKind(what)} ${JSON.stringify(name)} is invalid${errors.length === 0 ? '' : `: ${summary}`}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(what.group === '' ? {} : { group: what.group }),
      ...(what.kind === '' ? {} : { kind: what.kind }),
      ...(errors.length === 0 ? {} : { causes: errors.map(toCause) }),
    },
  })
}

export const expired = (message: string): ApiError => new ApiError({ code: 410, reason: 'Expired', message })

/** A client asks for a revision that this server has not reached. */
/** Whoever reads a cache is told when to try again, whoever asks for one exact version is not. */
export const tooLargeVersion = (requested: number, current: number, isExact = false): ApiError =>
  new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      ...(isExact ? {} : { retryAfterSeconds: 1 }),
    },
  })
