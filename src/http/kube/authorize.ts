// Refuses what the authoriser does not allow, in the words of Kubernetes; impersonation must be allowed to the one who
// really asks.

import { ApiError } from '#api'
import type { AccessQuestion, Authorize } from '#apiserver'
import type { Authenticated } from './authenticate.ts'
import type { Target } from './route.ts'

/** Throws 403 when the authoriser refuses the request, or the impersonation that it was made with. */
export function checkAccess(authorize: Authorize, who: Authenticated, target: Target): void {
  const { identity, impersonator } = who
  if (impersonator !== undefined) {
    const kind = identity.user.startsWith('system:serviceaccount:') ? 'serviceaccounts' : 'users'
    refuse(authorize, { caller: impersonator, verb: 'impersonate', resource: kind, name: identity.user })
    for (const group of identity.groups)
      if (!group.startsWith('system:'))
        refuse(authorize, { caller: impersonator, verb: 'impersonate', resource: 'groups', name: group })
    for (const [key, values] of Object.entries(identity.extra ?? {}))
      for (const name of values)
        refuse(authorize, {
          caller: impersonator,
          verb: 'impersonate',
          group: 'authentication.k8s.io',
          resource: 'userextras',
          subresource: key,
          name,
        })
  }
  refuse(authorize, questionOf(identity, target))
}

function questionOf(caller: AccessQuestion['caller'], target: Target): AccessQuestion {
  const { verb, resource, namespace, name, subresource, path } = target
  if (resource === undefined) return { caller, verb, ...(path === undefined ? {} : { path }) }
  return {
    caller,
    verb,
    group: resource.group,
    resource: resource.resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  }
}

function refuse(authorize: Authorize, question: AccessQuestion): void {
  const reason = authorize(question)
  if (reason !== undefined) throw forbidden(question, reason)
}

function forbidden(question: AccessQuestion, reason: string): ApiError {
  const { caller, verb, group = '', resource, subresource, namespace, name, path } = question
  const because = reason === '' ? '' : `: ${reason}`
  if (resource === undefined) {
    const message = `forbidden: User "${caller.user}" cannot ${verb} path "${path}"${because}`
    return new ApiError({ code: 403, reason: 'Forbidden', message, details: {} })
  }
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const subject = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` "${name}"`}`
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: User "${caller.user}" cannot ${verb} resource "${what}" in API group "${group}" ${where}${because}`,
    details: { ...(name === undefined ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource },
  })
}
