// Reviews: questions that are asked by creating an object which is answered and never kept. Who may do what is the
// authoriser's to say.

import type { ApiResponse } from '#api'
import type { AnyObject } from '#objects'
import { readBody } from '../body.ts'
import { badRequest, invalidError } from '../errors.ts'
import { checkNamespace } from '../object-meta.ts'
import type { AccessQuestion } from '../options.ts'
import { respondPlain } from '../represent.ts'
import type { Scope } from '../scope.ts'
import { checkWriteOptions } from '../write-options.ts'
import { nodeOf } from './node.ts'
import { type AccessKind, type AccessSpec, fieldSelectorText, ignoredSelectors, reviewFaults } from './review-faults.ts'
import { listText } from './rules-cover.ts'
import { issuerUrl } from './service-account-tokens.ts'

type Review = (scope: Scope) => ApiResponse

const group = 'authorization.k8s.io'
const authenticatedGroup = 'system:authenticated'

const specOf = <T>(review: AnyObject): T => (review['spec'] ?? {}) as T

function answer(scope: Scope, review: AnyObject, status: object): ApiResponse {
  return respondPlain(scope, 201, { ...review, metadata: review.metadata, status })
}

function question(spec: AccessSpec, caller: AccessQuestion['caller']): AccessQuestion {
  const { resourceAttributes, nonResourceAttributes } = spec
  if (resourceAttributes === undefined)
    return { caller, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' }
  const { verb = '', fieldSelector, labelSelector: _, ...attributes } = resourceAttributes
  const selected = fieldSelector === undefined ? {} : { fieldSelector: fieldSelectorText(fieldSelector) }
  return { caller, verb, ...attributes, ...selected, resource: attributes.resource ?? '' }
}

function decide(scope: Scope, spec: AccessSpec, caller: AccessQuestion['caller']): object {
  const { allowed, reason } = scope.core.decide(question(spec, caller))
  const evaluationError = ignoredSelectors(spec)
  return {
    allowed,
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === '' ? {} : { evaluationError }),
  }
}

/** The review that is asked, in the namespace of its request. */
function read(scope: Scope): AnyObject {
  checkWriteOptions(scope, 'CreateOptions')
  const review = readBody(scope)
  const { namespace: _, ...metadata } = review.metadata
  const namespace = checkNamespace(scope, review.metadata)
  return { ...review, metadata: namespace === undefined ? metadata : { ...metadata, namespace } }
}

const access =
  (kind: AccessKind): Review =>
  (scope) => {
    const review = read(scope)
    const faults = reviewFaults(kind, review)
    if (faults.length > 0) throw invalidError({ group, kind: '' }, '', faults)
    const spec = specOf<AccessSpec>(review)
    const { user = '', groups = [] } = spec
    const caller = kind === 'self' ? scope.request.caller : { user, groups }
    return answer(scope, review, decide(scope, spec, caller))
  }

/** What the caller may do in a namespace, told as rules. What the Node authoriser allows cannot be told so. */
function selfRules(scope: Scope): ApiResponse {
  const { kind, apiVersion, ...asked } = read(scope)
  const { namespace = '' } = specOf<{ readonly namespace?: string }>(asked as AnyObject)
  if (namespace === '') throw badRequest('no namespace on request')
  const { caller } = scope.request
  const { rules, missing } = scope.core.access.roles.rulesFor(caller, namespace)
  const isNode = nodeOf(caller) !== undefined
  const faults = [...(isNode ? ['node authorizer does not support user rule resolution'] : []), ...missing]
  // The answer does not repeat the question.
  return answer(scope, { kind, apiVersion, metadata: {}, spec: {} } as AnyObject, {
    resourceRules: rules.filter(({ resources }) => (resources ?? []).length > 0),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => (nonResourceURLs ?? []).length > 0),
    incomplete: isNode,
    ...(faults.length === 0 ? {} : { evaluationError: faults.length === 1 ? faults[0] : `[${faults.join(', ')}]` }),
  })
}

function selfReview(scope: Scope): ApiResponse {
  const review = read(scope)
  const { user, uid, groups, extra } = scope.request.caller
  return answer(
    scope,
    { ...review, metadata: { creationTimestamp: scope.now() } },
    { userInfo: { username: user, ...(uid && { uid }), groups, ...(extra && { extra }) } },
  )
}

function tokenReview(scope: Scope): ApiResponse {
  const review = read(scope)
  const { token = '', audiences = [] } = specOf<{ readonly token?: string; readonly audiences?: readonly string[] }>(
    review,
  )
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const asked = audiences.length === 0 ? [issuerUrl] : audiences
  const found = scope.core.tokens.verify(token) ?? doorToken(scope, token)
  if (found === undefined) return answer(scope, review, { user: {}, error: 'invalid bearer token' })
  const shared = found.audiences.filter((audience) => asked.includes(audience))
  if (shared.length === 0) {
    const why = `token audiences ${listText(found.audiences)} is invalid for the target audiences ${listText(asked)}`
    return answer(scope, review, { user: {}, error: `[invalid bearer token, ${why}]` })
  }
  return answer(scope, review, {
    authenticated: true,
    user: { username: found.user, uid: found.uid, groups: found.groups, extra: found.extra },
    audiences: shared,
  })
}

/** Tokens that the door knows are good for this server alone. */
function doorToken({ core }: Scope, token: string) {
  const user = core.options.tokenUser?.(token)
  if (user === undefined) return undefined
  const groups = user.groups.includes(authenticatedGroup) ? user.groups : [...user.groups, authenticatedGroup]
  return { ...user, groups, audiences: [issuerUrl] }
}

const reviews: Readonly<Record<string, Review>> = {
  'selfsubjectaccessreviews.authorization.k8s.io': access('self'),
  'subjectaccessreviews.authorization.k8s.io': access('subject'),
  'localsubjectaccessreviews.authorization.k8s.io': access('local'),
  'selfsubjectrulesreviews.authorization.k8s.io': selfRules,
  'selfsubjectreviews.authentication.k8s.io': selfReview,
  'tokenreviews.authentication.k8s.io': tokenReview,
}

/** What answers the creation of a review; undefined for objects that are kept. */
export const reviewOf = (bucket: string): Review | undefined => reviews[bucket]
