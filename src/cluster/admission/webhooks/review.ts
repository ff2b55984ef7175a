// AdmissionReviews (admission.k8s.io/v1, and v1beta1 for those who know nothing newer): what a webhook is asked, and what
// its answer means. Texts are those of Kubernetes' own decoder and checks.

import { ApiError, type StatusDetails, type StatusReason } from '#api'
import { type JsonPatchOperation, parseJson } from '#objects'
import { groupVersionKind, groupVersionResource, namespaceOf, type Presented } from '../rules.ts'
import type { Webhook } from './match.ts'

type ReviewVersion = 'v1' | 'v1beta1'

export interface Verdict {
  readonly allowed: boolean
  /** An Error when what was sent is no patch. */
  readonly patch: readonly JsonPatchOperation[] | Error
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
  readonly status: ReviewStatus | undefined
}

interface ReviewStatus {
  readonly code?: number
  readonly message?: string
  readonly reason?: StatusReason
  readonly details?: StatusDetails
}

/** The first version that both sides know. */
export const reviewVersionOf = ({ admissionReviewVersions }: Webhook): ReviewVersion | undefined =>
  (admissionReviewVersions ?? []).find((version) => version === 'v1' || version === 'v1beta1') as
    | ReviewVersion
    | undefined

export function reviewOf({ request, target, object, old }: Presented, uid: string, version: ReviewVersion): string {
  const { subresource, name, operation, caller, dryRun, options } = request
  const namespace = namespaceOf(request)
  const sub = (field: string): object => (subresource === '' ? {} : { [field]: subresource })
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: groupVersionKind(target),
      resource: groupVersionResource(target),
      ...sub('subResource'),
      requestKind: groupVersionKind(request),
      requestResource: groupVersionResource(request),
      ...sub('requestSubResource'),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: {
        username: caller.user,
        ...(caller.uid && { uid: caller.uid }),
        groups: caller.groups,
        ...(caller.extra && { extra: caller.extra }),
      },
      object: object ?? null,
      oldObject: old ?? null,
      dryRun,
      options: operation === 'CONNECT' ? null : options,
    },
  })
}

interface Response {
  readonly uid?: string
  readonly allowed?: boolean
  readonly patch?: string
  readonly patchType?: string
  readonly warnings?: readonly string[]
  readonly auditAnnotations?: Readonly<Record<string, string>>
  readonly status?: ReviewStatus
}

interface Review {
  readonly kind?: string
  readonly apiVersion?: string
  readonly response?: Response | null
}

/** A review that could be read. */
export interface Reviewed {
  /** Throws an Error when it is no answer to the question with this uid. */
  verify(uid: string, mutating: boolean): Verdict
}

/** Throws an Error when the text is no AdmissionReview. */
export function readReview(text: string, version: ReviewVersion): Reviewed {
  const review = parse(text) as Review
  const expected = `admission.k8s.io/${version}`
  const { kind = '', apiVersion = '' } = review
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${text}'`)
  const known = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'].includes(apiVersion) && kind === 'AdmissionReview'
  if (!known)
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
    )
  return {
    verify(uid, mutating) {
      const { response } = review
      if (response === undefined || response === null) throw new Error('webhook response was absent')
      if (version === 'v1') {
        if (response.uid !== uid)
          throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`)
        if (apiVersion !== expected)
          throw new Error(
            `expected webhook response of ${expected}, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
          )
        checkPatchType(response, mutating)
      }
      return verdictOf(response, version, mutating)
    },
  }
}

function checkPatchType({ patch = '', patchType }: Response, mutating: boolean): void {
  if (!mutating) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch')
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType')
    return
  }
  if (patch !== '' && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType')
  if (patch === '' && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch')
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""')
}

function verdictOf(response: Response, version: ReviewVersion, mutating: boolean): Verdict {
  const { patch = '', patchType = version === 'v1beta1' ? 'JSONPatch' : '' } = response
  return {
    allowed: response.allowed === true,
    patch: mutating && patch !== '' ? operationsOf(patch) : [],
    patchType,
    warnings: response.warnings ?? [],
    auditAnnotations: response.auditAnnotations ?? {},
    status: response.status,
  }
}

function operationsOf(patch: string): readonly JsonPatchOperation[] | Error {
  try {
    const operations = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as unknown
    if (Array.isArray(operations)) return operations as readonly JsonPatchOperation[]
    return new Error('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text).value
  } catch (error) {
    throw new Error(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** Why the request was denied, as the client is told. */
export function denial(name: string, status: ReviewStatus | undefined): ApiError {
  const head = `admission webhook ${JSON.stringify(name)} denied the request`
  const { message = '', reason = '', code = 0, details } = status ?? {}
  const text =
    message !== '' ? `${head}: ${message}` : reason !== '' ? `${head}: ${reason}` : `${head} without explanation`
  return new ApiError({ code: Math.max(code, 400), reason, message: text, ...(details && { details }) })
}
