// One request on its way through the door: who asks and whether he may, what form he takes, the API server's answer in time,
// and how that is written. What goes wrong on the way is answered as a Status.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ApiError, type ApiRequest, type ApiResponse, internalError, type ResponseBody } from '#api'
import { type AuditTrail, annotateDecision, tellBody } from '#apiserver'
import { refusalOf } from '../browser-guard.ts'
import { type Negotiated, negotiate } from './accept.ts'
import { auditFacts, nobody } from './audit.ts'
import type { Authenticated } from './authenticate.ts'
import { checkAccess } from './authorize.ts'
import { readBody } from './body.ts'
import { type ConnectionBody, carry, protocolFor, type Upgrade } from './connection.ts'
import { deadlineMs } from './deadline.ts'
import type { DoorLimits, KubeDoorOptions } from './door-options.ts'
import { methodNotAllowed, PlainFault, pageOf, tooLate, tooManyRequests } from './refusals.ts'
import { writeObject, writeParts, writeText } from './respond.ts'
import { routeOf, type Target } from './route.ts'
import { writeBytes, writeWatch } from './stream.ts'
import { warningHeaders } from './warnings.ts'
import { endUnread, headersOf, isGone, reachedAt, type WireRequest, type WireResponse } from './wire.ts'

interface VisitParts {
  readonly options: KubeDoorOptions
  readonly limits: DoorLimits
  readonly request: WireRequest
  readonly response: WireResponse
  readonly abort: AbortController
  readonly upgrade: Upgrade | undefined
}

export class Visit {
  readonly #options: KubeDoorOptions
  readonly #limits: DoorLimits
  readonly #request: WireRequest
  readonly #response: WireResponse
  readonly #abort: AbortController
  readonly #upgrade: Upgrade | undefined
  readonly #startedAt = performance.now()
  readonly #auditId = randomUUID()
  #target: Target | undefined
  #negotiated: Negotiated | undefined
  #trail: AuditTrail | undefined
  /** The body of the answer, for the audit. */
  #told: Extract<ResponseBody, { readonly type: 'object' }> | undefined

  constructor({ options, limits, request, response, abort, upgrade }: VisitParts) {
    this.#options = options
    this.#limits = limits
    this.#request = request
    this.#response = response
    this.#abort = abort
    this.#upgrade = upgrade
  }

  async serve(isTooMany: boolean): Promise<void> {
    const response = this.#response
    response.setHeader('audit-id', this.#auditId)
    response.setHeader('cache-control', 'no-cache, private')
    try {
      if (isTooMany) throw tooManyRequests()
      const answer = await this.#answer()
      if (answer !== undefined) await this.#write(answer)
    } catch (error) {
      await this.#fail(error)
    }
    this.#trail?.complete({ code: response.statusCode, ...(this.#told && { body: this.#told }) })
    const { method = 'GET' } = this.#request
    const seconds = (performance.now() - this.#startedAt) / 1000
    const verb = this.#target?.verb ?? method.toLowerCase()
    this.#options.onRequest?.({ verb, target: this.#target, code: response.statusCode, seconds })
  }

  /** Undefined when the answer has been written already. */
  async #answer(): Promise<ApiResponse | undefined> {
    const { method = 'GET', url = '/' } = this.#request
    const headers = headersOf(this.#request)
    const refusal = refusalOf(headers, this.#options.names)
    if (refusal !== undefined) throw new ApiError({ code: 403, reason: 'Forbidden', message: refusal })
    const route = routeOf(method, url)
    const withinMs = deadlineMs(route, this.#limits.requestMs)
    const who = this.#authenticate()
    this.#beginAudit(who, route.type === 'request' ? route.target : undefined)
    if (route.type === 'methodNotAllowed') throw methodNotAllowed()
    if (route.type === 'notFound') return { status: 404, body: notFoundText }
    const { target } = route
    this.#target = target
    const trail = this.#trail
    checkAccess(this.#options.decide, { who, target }, (decision) => {
      if (!decision.allowed) this.#response.setHeader('x-content-type-options', 'nosniff')
      if (trail !== undefined) annotateDecision(trail, decision)
    })
    const own = target.resource === undefined ? this.#options.texts?.[target.path ?? ''] : undefined
    if (own !== undefined) return { status: 200, body: { type: 'text', ...(await own()) } }
    this.#negotiated = negotiate(headers.accept, target)
    const body = this.#upgrade !== undefined ? undefined : await readBody(this.#request, this.#limits.bodyBytes)
    const request: ApiRequest = {
      ...target,
      accept: this.#negotiated.representation,
      caller: { ...who.identity, userAgent: headers['user-agent'] ?? 'unknown' },
      ...(body === undefined ? {} : { body }),
      ...(target.resource === undefined ? { reachedAt: reachedAt(this.#request) } : {}),
      ...(trail === undefined ? {} : { annotate: (key: string, value: string) => trail.annotate(key, value) }),
    }
    if (trail !== undefined && body !== undefined) tellBody(trail, body)
    if (target.verb === 'watch' || target.subresource === 'log')
      return this.#options.handler(request, this.#abort.signal)
    return this.#inTime(request, withinMs)
  }

  #beginAudit(who: Authenticated, target: Target | undefined): void {
    this.#trail = this.#options.audit?.begin(auditFacts(this.#request, this.#auditId, { who, target }))
  }

  #authenticate(): Authenticated {
    try {
      return this.#options.authenticate(this.#request)
    } catch (error) {
      this.#beginAudit(nobody, undefined)
      throw error
    }
  }

  async #inTime(request: ApiRequest, withinMs: number): Promise<ApiResponse> {
    const abort = this.#abort
    const timer = setTimeout(() => abort.abort(tooLate()), withinMs)
    try {
      const late = new Promise<never>((_, reject) => {
        abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true })
      })
      return await Promise.race([this.#options.handler(request, abort.signal), late])
    } finally {
      clearTimeout(timer)
    }
  }

  async #write(answer: ApiResponse): Promise<void> {
    const response = this.#response
    const { body, warnings = [], headers = {} } = answer
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (warnings.length > 0) response.setHeader('warning', warningHeaders(warnings))
    if (headers['etag'] !== undefined && this.#request.headers['if-none-match'] === headers['etag']) {
      response.statusCode = 304
      response.end()
      return
    }
    const gzip = /\bgzip\b/.test(String(this.#request.headers['accept-encoding'] ?? ''))
    switch (body.type) {
      case 'object': {
        this.#told = body
        if (answer.status >= 400) tellRetry(response, body.object as object)
        const format = this.#negotiated?.format ?? 'json'
        const contentType = headers['content-type'] ?? contentTypeOf(body.elements?.head ?? body.object, format)
        const style = { format, pretty: this.#isPretty(), gzip }
        return writeObject(response, { status: answer.status, body, contentType }, style)
      }
      case 'watch':
        this.#trail?.started(200)
        return writeWatch(response, body.events, this.#limits.stalledMs)
      case 'parts':
        response.statusCode = answer.status
        response.setHeader('content-type', body.contentType)
        return writeParts(response, body.parts, gzip)
      case 'bytes':
        return writeBytes(response, body, answer.status)
      case 'session':
      case 'ports':
        return this.#connect(body)
      case 'text':
        response.statusCode = answer.status
        response.setHeader('content-type', body.contentType)
        return writeText(response, body.text, gzip)
    }
  }

  /** From here on the connection belongs to the WebSocket. */
  async #connect(body: ConnectionBody): Promise<void> {
    const protocol = protocolFor(this.#request, body)
    const upgrade = this.#upgrade
    if (upgrade === undefined) throw methodNotAllowed()
    this.#response.statusCode = 101
    this.#trail?.started(101)
    upgrade.response.detachSocket(upgrade.socket as Socket)
    try {
      await carry(upgrade, { body, protocol, abort: this.#abort })
    } catch {
      upgrade.socket.destroy()
    }
  }

  async #fail(error: unknown): Promise<void> {
    const response = this.#response
    // The client has gone, or has half an answer already: there is nobody to tell.
    if (response.headersSent || isGone(response)) {
      response.destroy()
      return
    }
    if (!(error instanceof ApiError)) {
      this.#options.log.error('a request failed', {
        error: textOf(error),
        method: this.#request.method,
        url: this.#request.url,
      })
    }
    const status =
      error instanceof ApiError ? error : internalError(error instanceof Error ? error.message : String(error))
    endUnread(this.#request, response)
    if (error instanceof PlainFault) return this.#write(pageOf(error))
    await this.#write({ status: status.code, body: { type: 'object', object: status.toStatus() as never } })
  }

  /** People with a browser or curl get indented JSON unasked, as from Kubernetes. */
  #isPretty(): boolean {
    const asked = this.#target?.query?.['pretty']
    if (asked !== undefined) return asked === '1' || asked === 'true'
    return this.#negotiated?.pretty === true || /^(curl|Wget|Mozilla)/.test(this.#request.headers['user-agent'] ?? '')
  }
}

function tellRetry(
  response: WireResponse,
  status: { readonly details?: { readonly retryAfterSeconds?: number } },
): void {
  const seconds = status.details?.retryAfterSeconds
  if (seconds !== undefined) response.setHeader('retry-after', seconds)
}

const notFoundText = { type: 'text', contentType: 'text/plain; charset=utf-8', text: '404 page not found\n' } as const

function contentTypeOf(
  object: { readonly kind?: string; readonly apiVersion?: string },
  format: 'json' | 'yaml',
): string {
  const plain = `application/${format}`
  if (object.kind !== 'APIGroupDiscoveryList') return plain
  return `${plain};g=apidiscovery.k8s.io;v=${object.apiVersion?.split('/')[1]};as=APIGroupDiscoveryList`
}

/** For the log. */
export const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
