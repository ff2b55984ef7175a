// What may be done from outside: the members of system:masters everything, everybody else what Kubernetes grants by
// default to all users (discovery, reviews of oneself) and to nobody in particular (health, version). The refusals are
// worded as Kubernetes' own.

import { ApiError } from '#api'
import type { AccessQuestion, Authorize } from '#apiserver'
import type { Authenticated } from './authenticate.ts'
import type { Target } from './route.ts'

const publicPaths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])

const discoveryPaths: ReadonlySet<string> = new Set([...publicPaths, '/api', '/apis', '/openapi'])
const discoveryTrees = ['/api/', '/apis/', '/openapi/']

/** Reviews that everybody may ask about himself (system:basic-user). */
const selfReviews: ReadonlySet<string> = new Set([
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authentication.k8s.io/selfsubjectreviews',
])

/** The default authoriser: undefined when it may be done, else the reason (which may be empty). */
export const authorizeByGroup: Authorize = ({ caller, verb, group = '', resource, path }: AccessQuestion) => {
  if (caller.groups.includes('system:masters')) return undefined
  const known = caller.groups.includes('system:authenticated')
  if (resource === undefined) {
    if (verb !== 'get' && verb !== 'head') return ''
    const isPublic = publicPaths.has(path ?? '')
    const isDiscovery = discoveryPaths.has(path ?? '') || discoveryTrees.some((tree) => path?.startsWith(tree))
    return isPublic || (known && isDiscovery) ? undefined : ''
  }
  return known && verb === 'create' && selfReviews.has(`${group}/${resource}`) ? undefined : ''
}

/** Throws 403 when the authoriser refuses the request, or the impersonation that it was made with. */
export function checkAccess(authorize: Authorize, who: Authenticated, target: Target): void {
  const { identity, impersonator } = who
  if (impersonator !== undefined) {
    const kind = identity.user.startsWith('system:serviceaccount:') ? 'serviceaccounts' : 'users'
    refuse(authorize, { caller: impersonator, verb: 'impersonate', resource: kind, name: identity.user })
    for (const group of identity.groups)
      if (!group.startsWith('system:'))
        refuse(authorize, { caller: impersonator, verb: 'impersonate', resource: 'groups', name: group })
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
