// serviceaccounts/token: issues a token of a service account (registry/core/serviceaccount/storage/token.go).

import type { ApiResponse } from '#api'
import { type FieldError, invalid, type AuthenticationV1TokenRequest as TokenRequest } from '#kinds'
import { type AnyObject, formatTime } from '#objects'
import { admitBody } from '../admit.ts'
import { type BoundObject, issuerUrl, type TokenOrder } from '../auth/service-account-tokens.ts'
import { readBody } from '../body.ts'
import { expectedKind } from '../body-expected.ts'
import { badRequest, conflict, invalidError, notFoundError } from '../errors.ts'
import { existing } from '../read.ts'
import { respondPlain } from '../represent.ts'
import type { Scope } from '../scope.ts'
import { checkWriteOptions } from '../write-options.ts'

const expected = expectedKind('authentication.k8s.io', 'v1', 'TokenRequest')
const defaultSeconds = 3600
const minSeconds = 600
const maxSeconds = 2 ** 32

const tokenRequest = { group: 'authentication.k8s.io', kind: 'TokenRequest' } as const

export async function requestToken(scope: Scope): Promise<ApiResponse> {
  checkWriteOptions(scope, 'CreateOptions')
  const sent = readBody(scope, expected)
  const { namespace = '' } = sent.metadata
  if (namespace !== '' && namespace !== scope.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  const request = await admitBody(scope, 'CREATE', sent, (body) => completed(scope, body as unknown as TokenRequest))
  const { metadata, spec } = request as unknown as TokenRequest
  const bound = boundObject(scope, spec.boundObjectRef)
  const { audiences, expirationSeconds: seconds = defaultSeconds } = spec
  const issued = scope.core.tokens.issue({
    namespace: scope.namespace ?? '',
    name: scope.name,
    uid: metadata?.uid ?? '',
    audiences,
    seconds,
    ...(bound === undefined ? {} : { bound, ...placeOf(scope, bound) }),
  })
  return respondPlain(scope, 201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata,
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token: issued.token, expirationTimestamp: formatTime(issued.expiresAt) },
  })
}

/** The request as it is carried out: what it leaves out is that of the account. */
function completed(scope: Scope, { metadata, spec }: TokenRequest): AnyObject {
  checkName(scope, metadata?.name ?? '')
  const { metadata: account } = existing(scope).value
  checkUid(scope, metadata?.uid ?? '', account.uid ?? '')
  const expirationSeconds = spec.expirationSeconds ?? defaultSeconds
  const faults = durationFaults(expirationSeconds)
  if (faults.length > 0) throw invalidError(tokenRequest, '', faults)
  const { name, namespace, uid } = account
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...metadata, name, namespace, creationTimestamp: scope.now(), uid },
    spec: { ...spec, audiences: (spec.audiences?.length ?? 0) === 0 ? [issuerUrl] : spec.audiences, expirationSeconds },
  } as unknown as AnyObject
}

function checkName(scope: Scope, name: string): void {
  if (name === '' || name === scope.name) return
  const fault = invalid('metadata.name', name, 'must match the service account name if specified')
  throw invalidError(tokenRequest, scope.name, [fault])
}

function checkUid(scope: Scope, uid: string, actual: string): void {
  if (uid === '' || uid === actual) return
  const why = `the UID in the token request (${uid}) does not match the UID of the service account (${actual})`
  throw conflict({ group: tokenRequest.group, resource: tokenRequest.kind }, scope.name, why)
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
  const { kind = '', name = '', uid = '', apiVersion = '' } = ref
  const resource = apiVersion.includes('/') ? undefined : boundResources[kind]
  if (resource === undefined) throw badRequest(`cannot bind token to object of type ${apiVersion}, Kind=${kind}`)
  if (name === '') throw badRequest('Name parameter required.')
  const key = resource === 'nodes' ? name : `${scope.namespace ?? ''}/${name}`
  const found = scope.core.store.get(resource, key)?.value
  if (found === undefined) throw notFoundError({ group: '', resource }, name)
  const actual = found.metadata.uid ?? ''
  if (resource === 'pods' && accountOf(found) !== scope.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(scope.name)} to pod running with different serviceaccount name.`,
    )
  if (uid !== '' && uid !== actual)
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  return { kind: kind.toLowerCase(), name, uid: actual }
}

const accountOf = (pod: AnyObject): string => (pod['spec'] as { serviceAccountName?: string }).serviceAccountName ?? ''
