// The audit of requests that are made in process: as if they had come from the machine itself.

import type { ApiHandler, ApiRequest, ApiResponse, RequestBody } from '#api'
import { wireTarget } from '#client'
import { type Json, parseYaml } from '#objects'
import type { World } from '#world'
import { questionOf } from '../auth/request-access.ts'
import type { Decide } from '../options.ts'
import type { Audit, AuditTrail } from './audit.ts'

const local = ['127.0.0.1']

/** `decide` says by what a request is allowed; loops are not refused anything. */
export const audited =
  (audit: Audit, world: World, decide: Decide) =>
  (next: ApiHandler): ApiHandler => {
    const random = world.random.fork('audit')
    return async (request, signal) => {
      const { caller } = request
      const { method, target: uri } = wireTarget(request)
      const trail = audit.begin({
        auditId: random.uuid(),
        uri,
        target: request,
        method,
        caller,
        sourceIPs: local,
        userAgent: caller.userAgent,
      })
      if (trail === undefined) return next(request, signal)
      annotateDecision(trail, decide(questionOf(caller, request)))
      if (request.body !== undefined) tellBody(trail, request.body)
      return follow(trail, await next(withNotes(request, trail), signal))
    }
  }

const withNotes = (request: ApiRequest, trail: AuditTrail): ApiRequest => ({
  ...request,
  annotate: (key, value) => trail.annotate(key, value),
})

export function annotateDecision(trail: AuditTrail, { allowed, reason }: ReturnType<Decide>): void {
  trail.annotate('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid')
  trail.annotate('authorization.k8s.io/reason', reason)
}

/** What was sent as text is decoded if it can be. */
export function tellBody(trail: AuditTrail, body: RequestBody): void {
  if (!trail.wantsBody) return
  if (body.type === 'object') trail.sent(body.object)
  else
    try {
      trail.sent(body.contentType.includes('yaml') ? parseYaml(body.text).value : (JSON.parse(body.text) as Json))
    } catch {
      // The server says what is wrong with it; the audit goes without.
    }
}

function follow(trail: AuditTrail, response: ApiResponse): ApiResponse {
  const { status: code, body } = response
  if (body.type !== 'watch') {
    trail.complete({ code, ...(body.type === 'object' ? { body } : {}) })
    return response
  }
  trail.started(code)
  const { events } = body
  async function* told(): typeof events extends AsyncIterable<infer T> ? AsyncGenerator<T> : never {
    try {
      yield* events
    } finally {
      trail.complete({ code })
    }
  }
  return { ...response, body: { type: 'watch', events: { [Symbol.asyncIterator]: told } } }
}
