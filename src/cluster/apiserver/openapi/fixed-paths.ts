// The paths that are no resource's: what is served, in which version, and by whom tokens are issued.

import type { Served } from '../served.ts'
import { type Content, type Operation, objectTypes, type Paths, plainTypes } from './operations.ts'
import { operationId, tagOf } from './verbs.ts'

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
export const versionSchema = 'io.k8s.apimachinery.pkg.version.Info'

interface Fixed {
  readonly rest: string
  readonly about: string
  readonly answer: Content
  readonly consumes?: readonly string[]
  readonly produces: readonly string[]
}

function read(path: string, { rest, about, answer, consumes = [], produces }: Fixed): Paths {
  const operation: Operation = {
    method: 'get',
    id: operationId(path, 'get', rest),
    about,
    tag: tagOf(path),
    consumes,
    produces,
    parameters: [],
    responses: { 200: answer },
  }
  return { [path]: [operation] }
}

const told = (rest: string, about: string, answer: string, types: readonly string[]): Fixed => ({
  rest,
  about,
  answer: `${meta}.${answer}`,
  consumes: types,
  produces: types,
})

/** By the document of OpenAPI v3 that they stand in. */
export const rootPaths: Readonly<Record<string, Paths>> = {
  '.well-known/openid-configuration': read('/.well-known/openid-configuration/', {
    rest: 'ServiceAccountIssuerOpenIDConfiguration',
    about: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    answer: 'string',
    produces: ['application/json'],
  }),
  'openid/v1/jwks': read('/openid/v1/jwks/', {
    rest: 'ServiceAccountIssuerOpenIDKeyset',
    about: 'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
    answer: 'string',
    produces: ['application/jwk-set+json'],
  }),
  version: read('/version/', {
    rest: 'CodeVersion',
    about: 'get the version information for this server',
    answer: versionSchema,
    consumes: ['application/json'],
    produces: ['application/json'],
  }),
  api: read('/api/', told('APIVersions', 'get available API versions', 'APIVersions', plainTypes)),
  apis: read('/apis/', told('APIVersions', 'get available API versions', 'APIGroupList', plainTypes)),
}

export const groupPaths = (group: string): Paths =>
  read(`/apis/${group}/`, told('APIGroup', 'get information of a group', 'APIGroup', plainTypes))

/** Groups of custom resources tell of their resources alone. */
export const versionPaths = ({ info, apiVersion, custom }: Served): Paths =>
  custom !== undefined
    ? {}
    : read(
        info.group === '' ? `/api/${info.version}/` : `/apis/${apiVersion}/`,
        told('APIResources', 'get available resources', 'APIResourceList', objectTypes),
      )
