// CertificateSigningRequests say who asks: the server writes it into them, whatever the client sent
// (registry/certificates/certificates/strategy.go).

import type { AnyObject } from '#objects'
import type { Reservation, ResourceHooks } from './hooks.ts'
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

export const signingRequestHooks: ResourceHooks = {
  reserve: (scope: Scope, object: AnyObject, old: AnyObject | undefined): Reservation => ({
    object: old === undefined ? withCaller(scope, object) : { ...object, spec: old['spec'] },
    release() {},
  }),
}
