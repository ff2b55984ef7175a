// Requests that fail or are slow because a Fault says so. Which ones is decided purely; requests for Faults themselves
// never are, so that trouble can always be looked at and ended.

import { type ApiHandler, type ApiRequest, type ApiResponse, refusal, type StatusReason } from '#api'
import { type ApiErrors, Fault } from '#kinds'
import { matchesGlobs } from '#objects'
import type { World } from '#world'

export interface NamedApiErrors extends ApiErrors {
  readonly fault: string
}

/** `pods/status` and, with its group, `deployments.apps/scale`. */
function namesOf({ resource, subresource }: ApiRequest): readonly string[] {
  if (resource === undefined) return []
  const part = subresource === undefined ? '' : `/${subresource}`
  const short = `${resource.resource}${part}`
  return resource.group === '' ? [short] : [short, `${resource.resource}.${resource.group}${part}`]
}

export function isHit(request: ApiRequest, { verbs, resources, namespaces, users }: ApiErrors): boolean {
  const { resource, verb, namespace = '', caller } = request
  if (resource === undefined || (resource.group === Fault.group && resource.resource === Fault.resource)) return false
  return (
    (verbs === undefined || verbs.includes(verb) || verbs.includes('*')) &&
    (resources === undefined || namesOf(request).some((name) => matchesGlobs(resources, name))) &&
    matchesGlobs(namespaces, namespace) &&
    matchesGlobs(users, caller.user)
  )
}

/** With latency alone nothing fails. */
export const rateOf = ({ rate, code, message, latencySeconds }: ApiErrors): number =>
  rate ?? (latencySeconds !== undefined && code === undefined && message === undefined ? 0 : 1)

const usual: Readonly<Record<number, readonly [reason: StatusReason, message: string]>> = {
  403: ['Forbidden', 'forbidden'],
  404: ['NotFound', 'the server could not find the requested resource'],
  408: ['Timeout', 'Timeout: request did not complete within the allotted time'],
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'The resourceVersion for the provided watch is too old.'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'Internal error occurred'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted duration'],
}

function failure({ code = 500, message, fault }: NamedApiErrors): ApiResponse {
  const [reason, text] = usual[code] ?? [code >= 500 ? 'InternalError' : 'BadRequest', `HTTP ${code}`]
  const response = refusal({
    code,
    reason,
    message: message ?? `${text} (fault ${fault})`,
    ...(code === 429 ? { details: { retryAfterSeconds: 1 } } : {}),
  })
  return code === 429 ? { ...response, headers: { 'Retry-After': '1' } } : response
}

/** Around the API server; costs nothing while there are no such Faults. */
export class ApiTrouble {
  active: readonly NamedApiErrors[] = []
  readonly #world: World
  readonly #random: World['random']

  constructor(world: World) {
    this.#world = world
    this.#random = world.random.fork('faults')
  }

  readonly wrap =
    (next: ApiHandler): ApiHandler =>
    (request, signal) =>
      this.active.length === 0 ? next(request, signal) : this.#answer(next, request, signal)

  async #answer(next: ApiHandler, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const hits = this.active.filter((errors) => isHit(request, errors))
    const latency = hits.reduce((sum, { latencySeconds = 0 }) => sum + latencySeconds, 0)
    if (latency > 0) await this.#world.clock.sleep(latency * 1000, signal)
    const failing = hits.find((errors) => this.#random.next() < rateOf(errors))
    return failing === undefined ? next(request, signal) : failure(failing)
  }
}
