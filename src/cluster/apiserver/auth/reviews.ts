// Reviews: questions that are asked by creating an object which is answered and never kept. Who may do what is the
// authoriser's to say.

import type { ApiResponse } from '#api'
import { type FieldError, invalid, required } from '#kinds'
import type { AnyObject } from '#objects'
import { readBody } from '../body.ts'
import { invalidError } from '../errors.ts'
import type { AccessQuestion } from '../options.ts'
import { respondPlain } from '../represent.ts'
import type { Scope } from '../scope.ts'
import { nodeOf } from './node.ts'
import { listText } from './rules-cover.ts'
import { issuerUrl } from './service-account-tokens.ts'

type Review = (scope: Scope) => ApiResponse

interface ResourceAttributes {
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
}

const group = 'authorization.k8s.io'
const authenticatedGroup = 'system:authenticated'

const specOf = <T>(review: AnyObject): T => (review['spec'] ?? {}) as T

function answer(scope: Scope, review: AnyObject, status: object): ApiResponse {
  return respondPlain(scope, 201, { ...review, metadata: review.metadata, status })
}

function attributeFaults(spec: AccessSpec): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined)
    return [
      invalid(
        'spec.nonResourceAttributes',
        nonResourceAttributes,
        'cannot be specified in combination with resourceAttributes',
      ),
    ]
  if (resourceAttributes === undefined && nonResourceAttributes === undefined)
    return [
      invalid(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    ]
  return []
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidError({ group, kind: '' }, '', faults)
}

function question(spec: AccessSpec, caller: AccessQuestion['caller']): AccessQuestion {
  const { resourceAttributes, nonResourceAttributes } = spec
  if (resourceAttributes === undefined)
    return { caller, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' }
  const { verb = '', ...attributes } = resourceAttributes
  return { caller, verb, ...attributes, resource: attributes.resource ?? '' }
}

function decide(scope: Scope, spec: AccessSpec, caller: AccessQuestion['caller']): object {
  const { allowed, reason } = scope.core.decide(question(spec, caller))
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function selfAccess(scope: Scope): ApiResponse {
  const review = readBody(scope)
  const spec = specOf<AccessSpec>(review)
  refuse(attributeFaults(spec))
  return answer(scope, review, decide(scope, spec, scope.request.caller))
}

function subjectAccess(scope: Scope): ApiResponse {
  const review = readBody(scope)
  const spec = specOf<AccessSpec>(review)
  const { user = '', groups = [] } = spec
  const nobody = user === '' && groups.length === 0
  const who = nobody ? [invalid('spec.user', user, 'at least one of user or group must be specified')] : []
  refuse([...attributeFaults(spec), ...who, ...namespaceFaults(scope, spec)])
  return answer(scope, review, decide(scope, spec, { user, groups }))
}

/** A local review is about its own namespace. */
function namespaceFaults(
  { served, namespace }: Scope,
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
): readonly FieldError[] {
  if (served.info.resource !== 'localsubjectaccessreviews') return []
  if (nonResourceAttributes !== undefined)
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request')]
  if (resourceAttributes?.namespace === namespace) return []
  return [
    invalid('spec.resourceAttributes.namespace', resourceAttributes?.namespace ?? '', 'must match metadata.namespace'),
  ]
}

/** What the caller may do in a namespace, told as rules. What the Node authoriser allows cannot be told so. */
function selfRules(scope: Scope): ApiResponse {
  const review = readBody(scope)
  const { namespace = '' } = specOf<{ readonly namespace?: string }>(review)
  if (namespace === '') refuse([required('spec.namespace', 'namespace must be specified')])
  const { caller } = scope.request
  const { rules, missing } = scope.core.access.roles.rulesFor(caller, namespace)
  const isNode = nodeOf(caller) !== undefined
  const faults = [...(isNode ? ['node authorizer does not support user rule resolution'] : []), ...missing]
  return answer(scope, review, {
    resourceRules: rules.filter(({ resources }) => (resources ?? []).length > 0),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => (nonResourceURLs ?? []).length > 0),
    incomplete: isNode,
    ...(faults.length === 0 ? {} : { evaluationError: faults.length === 1 ? faults[0] : `[${faults.join(', ')}]` }),
  })
}

function selfReview(scope: Scope): ApiResponse {
  const review = readBody(scope)
  const { user, uid, groups, extra } = scope.request.caller
  return answer(
    scope,
    { ...review, metadata: { creationTimestamp: scope.now() } },
    { userInfo: { username: user, ...(uid && { uid }), groups, ...(extra && { extra }) } },
  )
}

function tokenReview(scope: Scope): ApiResponse {
  const review = readBody(scope)
  const { token = '', audiences = [] } = specOf<{ readonly token?: string; readonly audiences?: readonly string[] }>(
    review,
  )
  if (token === '')
    throw invalidError({ group: 'authentication.k8s.io', kind: 'TokenReview' }, '', [
      required('spec.token', 'token must be specified'),
    ])
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
  'selfsubjectaccessreviews.authorization.k8s.io': selfAccess,
  'subjectaccessreviews.authorization.k8s.io': subjectAccess,
  'localsubjectaccessreviews.authorization.k8s.io': subjectAccess,
  'selfsubjectrulesreviews.authorization.k8s.io': selfRules,
  'selfsubjectreviews.authentication.k8s.io': selfReview,
  'tokenreviews.authentication.k8s.io': tokenReview,
}

/** What answers the creation of a review; undefined for objects that are kept. */
export const reviewOf = (bucket: string): Review | undefined => reviews[bucket]
