// Secret (v1): stringData is written into data; each type asks for its own keys.

import { isEqual } from '#objects'
import { base64Bytes, maxDataBytes } from '../configmap/data-size.ts'
import { type FieldError, forbidden, invalid, required, tooLong } from '../field-error.ts'
import { Secret } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { configMapKey, immutableText } from '../metadata/formats.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { jsonObjectFault } from './json-fault.ts'

function defaults(secret: Secret): Secret {
  const { stringData, ...rest } = secret
  if (stringData === undefined) return withDefaults(secret, { type: secret.type || 'Opaque' })
  const written = Object.fromEntries(Object.entries(stringData).map(([key, value]) => [key, encodeBase64(value)]))
  const data = { ...secret.data, ...written }
  return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type: secret.type || 'Opaque' }
}

const serviceAccountName = 'kubernetes.io/service-account.name'

function validate(secret: Secret): readonly FieldError[] {
  const errors: FieldError[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(secret.data ?? {})) {
    for (const fault of configMapKey(key)) errors.push(invalid(`data[${key}]`, key, fault))
    bytes += base64Bytes(value)
  }
  if (bytes > maxDataBytes) errors.push(tooLong('data', maxDataBytes))
  checkType(secret, errors)
  return errors
}

function checkType(secret: Secret, errors: FieldError[]): void {
  const data = secret.data ?? {}
  const need = (key: string): void => {
    if (data[key] === undefined) errors.push(required(`data[${key}]`))
  }
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      if (!secret.metadata.annotations?.[serviceAccountName])
        errors.push(required(`metadata.annotations[${serviceAccountName}]`))
      break
    case 'kubernetes.io/dockercfg':
      checkJson(data, '.dockercfg', errors)
      break
    case 'kubernetes.io/dockerconfigjson':
      checkJson(data, '.dockerconfigjson', errors)
      break
    case 'kubernetes.io/basic-auth':
      if (data['username'] === undefined && data['password'] === undefined) {
        need('username')
        need('password')
      }
      break
    case 'kubernetes.io/ssh-auth':
      if (!data['ssh-privatekey']) errors.push(required('data[ssh-privatekey]'))
      break
    case 'kubernetes.io/tls':
      need('tls.crt')
      need('tls.key')
      break
  }
}

function checkJson(data: Readonly<Record<string, string>>, key: string, errors: FieldError[]): void {
  const value = data[key]
  if (value === undefined) {
    errors.push(required(`data[${key}]`))
    return
  }
  const fault = jsonObjectFault(decodeBase64(value) ?? '')
  if (fault !== undefined) errors.push(invalid(`data[${key}]`, '<secret contents redacted>', fault))
}

const immutable = 'field is immutable when `immutable` is set'

function validateUpdate(secret: Secret, old: Secret): readonly FieldError[] {
  const errors: FieldError[] = []
  if (secret.type !== old.type) errors.push(invalid('type', secret.type ?? '', immutableText))
  if (old.immutable === true) {
    if (secret.immutable !== true) errors.push(forbidden('immutable', immutable))
    if (!isEqual(secret.data ?? {}, old.data ?? {})) errors.push(forbidden('data', immutable))
  }
  return [...errors, ...validate(secret)]
}

/** An update without a type keeps the one there is. */
const prepareForUpdate = (secret: Secret, old: Secret): Secret =>
  withDefaults(secret, { type: secret.type || old.type })

function warnings({ type, data = {} }: Secret): readonly string[] {
  if (type !== 'kubernetes.io/tls') return []
  const certificate = decodeBase64(data['tls.crt'] ?? '') ?? ''
  const key = decodeBase64(data['tls.key'] ?? '') ?? ''
  if (!certificate.includes('-----BEGIN ')) return ['tls: failed to find any PEM data in certificate input']
  if (!certificate.includes('-----BEGIN CERTIFICATE-----'))
    return [
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ]
  return key.includes('-----BEGIN ') ? [] : ['tls: failed to find any PEM data in key input']
}

export const secretRules: KindRules<Secret> = {
  kind: Secret,
  metaOnUpdate: 'um',
  generation: 'none',
  defaults,
  prepareForUpdate,
  validate,
  validateUpdate,
  warnings,
  columns: [
    nameColumn,
    text(
      'Type',
      'Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types',
      ({ type }) => type ?? '',
    ),
    text(
      'Data',
      "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
      ({ data }) => Object.keys(data ?? {}).length,
    ),
    ageColumn,
  ],
  selectableFields: { type: ({ type }) => type ?? '' },
}
