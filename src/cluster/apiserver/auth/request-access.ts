// Which question a request is to the authoriser (apiserver/pkg/endpoints/request RequestInfo), and how it is refused, in
// the words of Kubernetes.

import { ApiError, type ApiHandler, type ApiRequest, type ApiResponse, type Verb } from '#api'
import type { AnyObject } from '#objects'
import type { AccessQuestion, Decide } from '../options.ts'

export type RequestTarget = Pick<
  ApiRequest,
  'verb' | 'resource' | 'namespace' | 'name' | 'subresource' | 'path' | 'query'
>

/** Paths are asked about by the method, not by what is done to objects. */
const methods: Partial<Readonly<Record<Verb, string>>> = { create: 'post', update: 'put' }

export function questionOf(caller: AccessQuestion['caller'], target: RequestTarget): AccessQuestion {
  const { verb, resource, subresource, path = '' } = target
  if (resource === undefined) return { caller, verb: methods[verb] ?? verb, path }
  const isOfMany = verb === 'list' || verb === 'watch'
  const name = target.name ?? (isOfMany ? selectedName(target.query?.['fieldSelector']) : undefined)
  // A namespace lies in itself: whoever may read all of a namespace may read the namespace.
  const namespace = resource.resource === 'namespaces' && resource.group === '' ? target.name : target.namespace
  return {
    caller,
    verb,
    group: resource.group,
    resource: resource.resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(isOfMany && target.query?.['fieldSelector'] ? { fieldSelector: target.query['fieldSelector'] } : {}),
  }
}

/** Who asks for the one object of this name asks for no more than it. */
function selectedName(fieldSelector: string | undefined): string | undefined {
  for (const term of fieldSelector?.split(',') ?? []) {
    const [, name] = /^metadata\.name==?([^=/%]+)$/.exec(term.trim()) ?? []
    if (name !== undefined && name !== '.' && name !== '..') return name
  }
  return undefined
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A text that no browser takes for a page. */
export const withoutMarkup = (text: string): string => text.replace(/[&<>]/g, (char) => entities[char] ?? char)

/** The 403 that a refused question is answered with. */
export function forbiddenFor(question: AccessQuestion, reason: string): ApiError {
  const { caller, verb, group = '', resource, subresource, namespace, name, path } = question
  const because = reason === '' ? '' : `: ${reason}`
  if (resource === undefined) {
    const what = withoutMarkup(`User ${JSON.stringify(caller.user)} cannot ${verb} path "${path}"`)
    const message = `forbidden: ${what}${because}`
    return new ApiError({ code: 403, reason: 'Forbidden', message, details: {} })
  }
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const subject = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` "${name}"`}`
  const act = `User ${JSON.stringify(caller.user)} cannot ${verb} resource "${what}" in API group "${group}" ${where}`
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${withoutMarkup(act)}${because}`,
    details: { ...(name === undefined ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource },
  })
}

/** Judges every request by its caller, as the door does for those from outside. */
export const judged =
  (decide: Decide) =>
  (next: ApiHandler): ApiHandler =>
  (request, signal) => {
    const question = questionOf(request.caller, request)
    const { allowed, reason } = decide(question)
    return allowed ? next(request, signal) : Promise.resolve(refusal(forbiddenFor(question, reason)))
  }

const refusal = (error: ApiError): ApiResponse => ({
  status: error.code,
  body: { type: 'object', object: error.toStatus() as unknown as AnyObject },
})
