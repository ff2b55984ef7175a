// CertificateSigningRequests say who asks: the server writes it into them, whatever the client sent
// (registry/certificates/certificates/strategy.go). Whoever asks for a certificate has its key: the request is signed with it.

import { type CertificateSigningRequest, type FieldError, invalid, parseRequest, requestFault } from '#kinds'
import type { AnyObject } from '#objects'
import type { Reservation, ResourceHooks } from './hooks.ts'
import { signatureFault } from './request-signature.ts'
import type { Scope } from './scope.ts'

type Fields = Readonly<Record<string, unknown>>

function withCaller(scope: Scope, object: AnyObject): AnyObject {
  const { user, uid, groups, extra } = scope.request.caller
  const { uid: _uid, extra: _extra, ...spec } = (object['spec'] ?? {}) as Fields
  return {
    ...object,
    spec: { ...spec, username: user, groups, ...(uid && { uid }), ...(extra && { extra }) },
  }
}

/** What is no request at all is found by the rules of the kind; what was taken once does not change. */
function signatureFaults(_scope: Scope, object: AnyObject, old: AnyObject | undefined): readonly FieldError[] {
  if (old !== undefined) return []
  const { request } = (object as unknown as CertificateSigningRequest).spec
  if (requestFault(request) !== undefined) return []
  const fault = signatureFault(parseRequest(request))
  return fault === undefined ? [] : [invalid('spec.request', request, fault)]
}

export const signingRequestHooks: ResourceHooks = {
  reserve: (scope: Scope, object: AnyObject, old: AnyObject | undefined): Reservation => ({
    object: old === undefined ? withCaller(scope, object) : { ...object, spec: old['spec'] },
    release() {},
  }),
  faults: signatureFaults,
}
