// AdmissionReviews (admission.k8s.io/v1): what a webhook is asked, and what its answer means.

import { ApiError, type StatusReason } from '#api'
import type { AnyObject, JsonPatchOperation } from '#objects'
import type { AdmissionRequest } from '../plugin.ts'

export interface Verdict {
  readonly allowed: boolean
  readonly patch: readonly JsonPatchOperation[] | undefined
  readonly warnings: readonly string[]
  readonly status: { readonly code?: number; readonly message?: string; readonly reason?: StatusReason } | undefined
}

export function reviewOf(request: AdmissionRequest, object: AnyObject | undefined, uid: string): string {
  const { kind, resource, subresource, name, namespace, operation, caller, old, dryRun, options } = request
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind }
  const gvr = { group: resource.group, version: resource.version, resource: resource.resource }
  const sub = (field: string): object => (subresource === '' ? {} : { [field]: subresource })
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: gvk,
      resource: gvr,
      ...sub('subResource'),
      requestKind: gvk,
      requestResource: gvr,
      ...sub('requestSubResource'),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: { username: caller.user, groups: caller.groups },
      object: object ?? null,
      oldObject: old ?? null,
      dryRun,
      options: options ?? null,
    },
  })
}

interface Response {
  readonly uid?: string
  readonly allowed?: boolean
  readonly patch?: string
  readonly patchType?: string
  readonly warnings?: readonly string[]
  readonly status?: Verdict['status']
}

/** Throws an error with Kubernetes' words when the answer is no review, or not of this question. */
export function verdictOf(text: string, uid: string): Verdict {
  const review = parse(text) as { readonly kind?: string; readonly apiVersion?: string; readonly response?: Response }
  if (review.kind !== 'AdmissionReview' || review.apiVersion !== 'admission.k8s.io/v1') {
    const got = `${review.apiVersion ?? ''}, Kind=${review.kind ?? ''}`
    throw new Error(
      `received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`,
    )
  }
  const { response } = review
  if (response === undefined) throw new Error('webhook response was absent')
  if (response.uid !== uid)
    throw new Error(
      `received invalid webhook response: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
    )
  const { patch, patchType } = response
  if (patch !== undefined && patch !== '' && patchType !== 'JSONPatch')
    throw new Error(
      `received invalid webhook response: webhook returned invalid response.patchType of ${JSON.stringify(patchType ?? '')}`,
    )
  return {
    allowed: response.allowed === true,
    patch:
      patch === undefined || patch === ''
        ? undefined
        : (parse(Buffer.from(patch, 'base64').toString('utf8')) as readonly JsonPatchOperation[]),
    warnings: response.warnings ?? [],
    status: response.status,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** Why the request was denied, as the client is told. */
export function denial(name: string, status: Verdict['status']): ApiError {
  const head = `admission webhook ${JSON.stringify(name)} denied the request`
  const { message = '', reason = '', code = 0 } = status ?? {}
  const text =
    message !== '' ? `${head}: ${message}` : reason !== '' ? `${head}: ${reason}` : `${head} without explanation`
  return new ApiError({ code: Math.max(code, 400), reason, message: text })
}
