// pods/log: which container's log, from where, as the kubelet is asked for it. The log itself comes through the node
// gateway.

import { type ApiResponse, internalError } from '#api'
import { type FieldError, forbidden, invalid, type Pod } from '#kinds'
import type { AnyObject } from '#objects'
import { badRequest, invalidError } from '../errors.ts'
import type { LogOptions } from '../options.ts'
import { parseFlag, parseInt64 } from '../query-values.ts'
import { existing } from '../read.ts'
import type { Scope } from '../scope.ts'

const numberOf = (scope: Scope, name: string): number | undefined => parseInt64(scope.query(name), badRequest)

export function logOptions(scope: Scope, container: string): LogOptions {
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map((name) =>
    numberOf(scope, name),
  )
  const sinceTime = scope.query('sinceTime')
  const errors: FieldError[] = []
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'))
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'))
  // About the options as a whole.
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'))
  // One stream of two is a feature that is off.
  if (scope.query('stream') !== undefined) errors.push(forbidden('stream', 'may not be specified'))
  if (errors.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, scope.name, errors)
  return {
    container,
    follow: parseFlag(scope.query('follow')) ?? false,
    previous: parseFlag(scope.query('previous')) ?? false,
    timestamps: parseFlag(scope.query('timestamps')) ?? false,
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  }
}

const defaultContainer = 'kubectl.kubernetes.io/default-container'

/** The container that is meant: named, or the only one. */
export function containerOf(scope: Scope, pod: Pod): string {
  const asked = scope.query('container') ?? ''
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {}
  const names = (list: readonly { readonly name: string }[]): string => list.map(({ name }) => name).join(' ')
  if (asked !== '') {
    if ([...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === asked)) return asked
    throw badRequest(`container ${asked} is not valid for pod ${scope.name}`)
  }
  const [only, second] = containers
  if (only !== undefined && second === undefined) return only.name
  const annotated = pod.metadata.annotations?.[defaultContainer]
  if (annotated !== undefined && containers.some(({ name }) => name === annotated)) return annotated
  if (containers.length === 0) throw badRequest(`a container name must be specified for pod ${scope.name}`)
  const inits = initContainers.length === 0 ? '' : ` or one of the init containers: [${names(initContainers)}]`
  throw badRequest(
    `a container name must be specified for pod ${scope.name}, choose one of: [${names(containers)}]${inits}`,
  )
}

export function log(scope: Scope): ApiResponse {
  const pod = existing(scope).value
  const container = containerOf(scope, pod as unknown as Pod)
  const options = logOptions(scope, container)
  const nodeName = (pod as unknown as Pod).spec?.nodeName ?? ''
  if (nodeName === '') throw badRequest(`pod ${scope.name} does not have a host assigned`)
  const { nodeGateway } = scope.core.options
  if (nodeGateway === undefined) throw internalError(`no kubelet answers on node ${JSON.stringify(nodeName)}`)
  const chunks = nodeGateway.logs(pod as AnyObject, options, scope.signal)
  return { status: 200, body: { type: 'bytes', contentType: 'text/plain', chunks } }
}
