// CertificateSigningRequests say who asks: the server writes it into them, whatever the client sent
// (registry/certificates/certificates/strategy.go). Whoever asks for a certificate has its key: the request is signed with it.

import { type CertificateSigningRequest, type FieldError, invalid, parseRequest, requestFault } from '#kinds'
import type { AnyObject } from '#objects'
import type { Occasion, Reservation, ResourceHooks } from './hooks.ts'
import { signatureFault } from './request-signature.ts'

type Fields = Readonly<Record<string, unknown>>

function withCaller({ request }: Occasion, object: AnyObject): AnyObject {
  const { user, uid, groups, extra } = request.caller
  const { uid: _uid, extra: _extra, ...spec } = (object['spec'] ?? {}) as Fields
  return {
    ...object,
    spec: { ...spec, username: user, groups, ...(uid && { uid }), ...(extra && { extra }) },
  }
}

/** What is no request at all is found by the rules of the kind; what was taken once does not change. */
function signatureFaults(_occasion: Occasion, object: AnyObject, old: AnyObject | undefined): readonly FieldError[] {
  if (old !== undefined) return []
  const { request } = (object as unknown as CertificateSigningRequest).spec
  if (requestFault(request) !== undefined) return []
  const fault = signatureFault(parseRequest(request))
  return fault === undefined ? [] : [invalid('spec.request', request, fault)]
}

export const signingRequestHooks: ResourceHooks = {
  reserve: (occasion, object, old): Reservation => ({
    object: old === undefined ? withCaller(occasion, object) : { ...object, spec: old['spec'] },
    release() {},
  }),
  faults: signatureFaults,
}
