// The audit of requests: an Event of audit.k8s.io/v1 for each stage of a request that the policy wants to keep. Whoever
// takes requests in (the door, the machine for its loops) begins a trail and tells it what becomes of the request.

import type { Caller, ResponseBody } from '#api'
import { formatMicroTime, type Json } from '#objects'
import type { World } from '#world'
import { questionOf, type RequestTarget } from '../auth/request-access.ts'
import { type AuditDecision, type AuditedRequest, type AuditPolicy, type AuditStage, decideAudit } from './policy.ts'

export interface AuditOptions {
  readonly policy: AuditPolicy
  readonly world: World
  /** Keeps one event, a line of JSON without its end. */
  readonly write: (line: string) => void
}

/** What is known of a request when it comes in. */
export interface AuditFacts {
  readonly auditId: string
  readonly uri: string
  /** Absent for URLs that are no requests at all. */
  readonly target?: RequestTarget
  /** The method, for what is no request for objects. */
  readonly method: string
  /** Who asks. */
  readonly caller: Pick<Caller, 'user' | 'uid' | 'groups' | 'extra'>
  /** In whose name, when that is somebody else. */
  readonly impersonated?: Pick<Caller, 'user' | 'uid' | 'groups' | 'extra'>
  readonly sourceIPs: readonly string[]
  readonly userAgent: string
}

type ObjectBody = Extract<ResponseBody, { readonly type: 'object' }>

/** How a request was answered. */
export interface AuditOutcome {
  readonly code: number
  /** The body of the answer, if it is an object; the Status of a failure. A list is not made unless it is kept. */
  readonly body?: ObjectBody
}

export interface Audit {
  /** Undefined when nothing of the request is kept. */
  begin(facts: AuditFacts): AuditTrail | undefined
}

export interface AuditTrail {
  annotate(key: string, value: string): void
  /** What was sent, decoded. */
  sent(body: Json | object): void
  /** Whether anybody wants to know what is sent. */
  readonly wantsBody: boolean
  /** A long answer has begun: a watch, a session. */
  started(code: number): void
  complete(outcome: AuditOutcome): void
}

export const createAudit = ({ policy, world, write }: AuditOptions): Audit => ({
  begin(facts) {
    const decision = decideAudit(policy, requestOf(facts))
    if (decision.level === 'None') return undefined
    return new Trail(facts, decision, { write, now: () => formatMicroTime(world.clock.now()) })
  },
})

function requestOf({ target, caller, uri, method }: AuditFacts): AuditedRequest {
  const question = target === undefined ? undefined : questionOf(caller, target)
  return {
    user: caller.user,
    groups: caller.groups,
    verb: question?.verb ?? method.toLowerCase(),
    group: question?.group ?? '',
    ...(question?.resource === undefined ? {} : { resource: question.resource }),
    subresource: question?.subresource ?? '',
    namespace: question?.namespace ?? '',
    name: question?.name ?? '',
    path: uri.split('?')[0] ?? '',
  }
}

interface Out {
  readonly write: (line: string) => void
  readonly now: () => string
}

class Trail implements AuditTrail {
  readonly #facts: AuditFacts
  readonly #decision: AuditDecision
  readonly #out: Out
  readonly #receivedAt: string
  readonly #annotations: Record<string, string> = {}
  #sent: object | undefined
  #completed = false

  constructor(facts: AuditFacts, decision: AuditDecision, out: Out) {
    this.#facts = facts
    this.#decision = decision
    this.#out = out
    this.#receivedAt = out.now()
    this.#emit('RequestReceived')
  }

  annotate(key: string, value: string): void {
    this.#annotations[key] ??= value
  }

  get wantsBody(): boolean {
    return this.#decision.level !== 'Metadata' && this.#facts.target?.resource !== undefined
  }

  sent(body: Json | object): void {
    if (this.wantsBody && typeof body === 'object' && body !== null) this.#sent = this.#shown(body)
  }

  started(code: number): void {
    this.#emit('ResponseStarted', { code })
  }

  complete(outcome: AuditOutcome): void {
    if (this.#completed) return
    this.#completed = true
    this.#emit('ResponseComplete', outcome)
  }

  #shown(object: object): object {
    if (!this.#decision.omitManagedFields || !('metadata' in object)) return object
    const { managedFields: _fields, ...metadata } = object.metadata as Record<string, unknown>
    return { ...object, metadata }
  }

  #emit(stage: AuditStage, outcome?: AuditOutcome): void {
    const { level, omitStages } = this.#decision
    if (omitStages.includes(stage)) return
    const { auditId, uri, caller, impersonated, sourceIPs, userAgent } = this.#facts
    const isWhole = level === 'RequestResponse' && this.wantsBody && outcome?.body !== undefined
    const event = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level,
      auditID: auditId,
      stage,
      requestURI: uri,
      verb: requestOf(this.#facts).verb,
      user: userInfo(caller),
      ...(impersonated === undefined ? {} : { impersonatedUser: userInfo(impersonated) }),
      sourceIPs,
      userAgent,
      ...objectRef(this.#facts, this.#sent, outcome),
      ...(outcome === undefined ? {} : { responseStatus: responseStatus(outcome) }),
      ...(this.#sent === undefined ? {} : { requestObject: this.#sent }),
      ...(isWhole ? { responseObject: this.#shown(outcome.body.object) } : {}),
      requestReceivedTimestamp: this.#receivedAt,
      stageTimestamp: this.#out.now(),
      ...(Object.keys(this.#annotations).length === 0 ? {} : { annotations: this.#annotations }),
    }
    this.#out.write(JSON.stringify(event))
  }
}

const userInfo = ({ user, uid, groups, extra }: AuditFacts['caller']): object => ({
  username: user,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
})

interface WithMetadata {
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string }
}

/** What the request is about; what is not named in its path is taken from what was sent. */
function objectRef(
  { target, caller }: AuditFacts,
  sent: object | undefined,
  outcome: AuditOutcome | undefined,
): object {
  if (target?.resource === undefined) return {}
  const { namespace, name, subresource } = questionOf(caller, target)
  const { group, version, resource } = target.resource
  const made =
    target.verb === 'create' && outcome !== undefined && outcome.code < 300 ? outcome.body?.object : undefined
  const meta = (sent as WithMetadata | undefined)?.metadata
  const called = name ?? meta?.name ?? (subresource === undefined ? (made as WithMetadata)?.metadata?.name : undefined)
  return {
    objectRef: {
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      ...(called === undefined ? {} : { name: called }),
      ...(meta?.uid === undefined ? {} : { uid: meta.uid }),
      ...(group === '' ? {} : { apiGroup: group }),
      apiVersion: version,
      ...(meta?.resourceVersion === undefined ? {} : { resourceVersion: meta.resourceVersion }),
      ...(subresource === undefined ? {} : { subresource }),
    },
  }
}

function responseStatus({ code, body }: AuditOutcome): object {
  const status = (body?.elements === undefined ? body?.object : undefined) as { kind?: string } | undefined
  if (status?.kind !== 'Status') return { metadata: {}, code }
  const { kind: _kind, apiVersion: _version, ...told } = status as Record<string, unknown>
  return { ...told, code }
}
