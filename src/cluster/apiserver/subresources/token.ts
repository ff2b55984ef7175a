// serviceaccounts/token: issues a token of a service account (registry/core/serviceaccount/storage/token.go).

import type { ApiResponse } from '#api'
import { type FieldError, invalid, type AuthenticationV1TokenRequest as TokenRequest } from '#kinds'
import { type AnyObject, formatTime } from '#objects'
import { admitBody } from '../admit.ts'
import { type BoundObject, issuerUrl, type TokenOrder } from '../auth/service-account-tokens.ts'
import { expectedKind, readBody } from '../body.ts'
import { badRequest, conflict, invalidError, notFoundError } from '../errors.ts'
import { existing } from '../read.ts'
import { respondPlain } from '../represent.ts'
import type { Scope } from '../scope.ts'

const expected = expectedKind('authentication.k8s.io', 'v1', 'TokenRequest')
const defaultSeconds = 3600
const minSeconds = 600
const maxSeconds = 2 ** 32

export async function requestToken(scope: Scope): Promise<ApiResponse> {
  const sent = readBody(scope, expected) as unknown as TokenRequest
  const account = existing(scope).value
  const { name = '', namespace = '' } = sent.metadata ?? {}
  if (name !== '' && name !== scope.name)
    throw badRequest(
      `metadata.name: Invalid value: ${JSON.stringify(name)}: must match the service account name if specified`,
    )
  if (namespace !== '' && namespace !== scope.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  const seconds = sent.spec.expirationSeconds ?? defaultSeconds
  const faults = durationFaults(seconds)
  if (faults.length > 0) throw invalidError({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, faults)
  const request = (await admitBody(scope, 'CREATE', sent as unknown as AnyObject)) as unknown as TokenRequest
  const bound = boundObject(scope, request.spec.boundObjectRef)
  const audiences = (request.spec.audiences?.length ?? 0) === 0 ? [issuerUrl] : request.spec.audiences
  const issued = scope.core.tokens.issue({
    namespace: scope.namespace ?? '',
    name: scope.name,
    uid: account.metadata.uid ?? '',
    audiences,
    seconds,
    ...(bound === undefined ? {} : { bound, ...placeOf(scope, bound) }),
  })
  return respondPlain(scope, 201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {
      name: scope.name,
      namespace: scope.namespace,
      creationTimestamp: scope.now(),
      uid: account.metadata.uid,
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: request.spec.boundObjectRef ?? null },
    status: { token: issued.token, expirationTimestamp: formatTime(issued.expiresAt) },
  })
}

function durationFaults(seconds: number): readonly FieldError[] {
  if (seconds < minSeconds)
    return [invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes')]
  if (seconds > maxSeconds)
    return [invalid('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds')]
  return []
}

/** A token of a pod says where the pod runs. */
function placeOf({ core: { store }, namespace }: Scope, { kind, name }: BoundObject): Pick<TokenOrder, 'node'> {
  if (kind !== 'pod') return {}
  const { nodeName } = (store.get('pods', `${namespace}/${name}`)?.value['spec'] ?? {}) as { nodeName?: string }
  if (!nodeName) return {}
  const uid = store.get('nodes', nodeName)?.value.metadata.uid
  return { node: { name: nodeName, ...(uid === undefined ? {} : { uid }) } }
}

const boundResources: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }

function boundObject(scope: Scope, ref: TokenRequest['spec']['boundObjectRef']): BoundObject | undefined {
  if (ref === undefined || ref === null) return undefined
  const { kind = '', name = '', uid = '' } = ref
  const resource = boundResources[kind]
  if (resource === undefined)
    throw badRequest(`cannot bind token to object of type ${ref.apiVersion ?? ''}, Kind=${kind}`)
  const key = resource === 'nodes' ? name : `${scope.namespace ?? ''}/${name}`
  const found = scope.core.store.get(resource, key)
  if (found === undefined) throw notFoundError({ group: '', resource }, name)
  const actual = found.value.metadata.uid ?? ''
  if (uid !== '' && uid !== actual)
    throw conflict(
      { group: '', resource },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  return { kind: kind.toLowerCase(), name, uid: actual }
}
