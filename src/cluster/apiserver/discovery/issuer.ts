// Who issues the tokens of service accounts, and the keys to check them with: OpenID Connect's discovery, for those outside
// the cluster that shall trust such tokens.

import type { ApiResponse } from '#api'
import { issuerUrl } from '../auth/service-account-tokens.ts'
import type { Core } from '../core.ts'

const configurationPath = '/.well-known/openid-configuration'
const keysPath = '/openid/v1/jwks'

export const issuerPaths = [configurationPath, keysPath]

const configuration = {
  issuer: issuerUrl,
  jwks_uri: `${issuerUrl}${keysPath}`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
}

/** Undefined for any other path. */
export function issuerDocument(core: Core, path: string): ApiResponse | undefined {
  if (path === configurationPath) return json('application/json', configuration)
  return path === keysPath ? json('application/jwk-set+json', { keys: [core.tokens.publicKey()] }) : undefined
}

const json = (contentType: string, value: object): ApiResponse => ({
  status: 200,
  headers: { 'cache-control': 'public, max-age=3600' },
  body: { type: 'text', contentType, text: JSON.stringify(value) },
})
