// What an object says of its own kind and version, against what is expected.

import { builtInSchema, resourceTable } from '#kinds'
import type { AnyObject, JsonObject } from '#objects'
import type { Expected } from './body-expected.ts'
import { type Read, typeMetaFault, unrecognized } from './body-text.ts'
import { badRequest } from './errors.ts'
import type { Scope } from './scope.ts'

const servedKinds = new Set(resourceTable.map(({ group, version, kind }) => `${group}/${version}/${kind}`))
const retired =
  /^(extensions\/v1beta1|(apps|batch|policy|autoscaling|[a-z.]+\.k8s\.io)\/(v[12](alpha|beta)[1-3]|v2alpha1))$/

const apiVersion = ({ group, version }: Pick<Expected, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** Custom resources say themselves what they are: nothing is filled in. */
export function checkCustomType(scope: Scope, { value, text }: Read, expected: Expected): void {
  const { kind = '', apiVersion: given = '' } = value as unknown as Partial<AnyObject>
  if (kind === '') {
    const body = text ?? JSON.stringify(value)
    const why = `Object 'Kind' is missing in '${body}'`
    if (scope.query('fieldValidation') !== 'Ignore') throw unrecognized(expected.kind, why, body)
    throw badRequest(
      `${expected.kind} in version "${expected.version}" cannot be handled as a ${expected.kind}: ${why}`,
    )
  }
  const wanted = apiVersion(expected)
  if (given !== wanted)
    throw badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`)
}

/** Fills in kind and version where the body leaves them out, and refuses others. */
export function withType(object: AnyObject, expected: Expected): AnyObject {
  const wanted = apiVersion(expected)
  const kind = object.kind ?? ''
  const given = object.apiVersion ?? ''
  if (kind === expected.kind && given === wanted) return object
  if (kind === '' || given === '') {
    return withType(
      { ...object, kind: kind === '' ? expected.kind : kind, apiVersion: given === '' ? wanted : given },
      expected,
    )
  }
  // A custom resource of another kind is refused where it is validated.
  if (expected.isCustom) return object
  if (kind === expected.kind && expected.alsoAs?.includes(given)) return { ...object, apiVersion: wanted }
  const why = typeFault(kind, given, expected)
  if (why !== undefined) {
    const version = JSON.stringify(given.slice(given.indexOf('/') + 1))
    throw badRequest(`${kind} in version ${version} cannot be handled as a ${expected.kind}: ${why}`)
  }
  throw badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`)
}

/** Why an object of this kind and version can't be read as one of the built-in kind that is expected. */
function typeFault(kind: string, given: string, expected: Expected): string | undefined {
  const slash = given.indexOf('/')
  const [group, version] = slash < 0 ? ['', given] : [given.slice(0, slash), given.slice(slash + 1)]
  const isKnown = builtInSchema(group, version, kind) !== undefined || servedKinds.has(`${group}/${version}/${kind}`)
  if (!isKnown && !(retired.test(given) && kind === expected.kind))
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(given)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
  if (kind === expected.kind) return undefined
  const [from, to] = [`v${version.replace(/^v/, '')}.${kind}`, `${internalPackage(expected.group)}.${expected.kind}`]
  return `converting (${from}) to (${to}): unknown conversion`
}

/** What a patch left of kind and version: another version is read as such, another kind refused. */
export function withPatchedType(object: AnyObject, expected: Expected, refuse: (why: string) => Error): AnyObject {
  const wanted = apiVersion(expected)
  const { kind, apiVersion: given } = object as Partial<AnyObject>
  if ((kind === expected.kind && given === wanted) || expected.isCustom) return object
  const untyped = typeMetaFault(object as unknown as JsonObject)
  if (untyped !== undefined)
    throw refuse(`couldn't get version/kind; json parse error: json: cannot unmarshal ${untyped}`)
  const why = typeFault(kind || expected.kind, given || wanted, expected)
  if (why !== undefined) throw refuse(why)
  return { ...object, kind: expected.kind, apiVersion: wanted }
}

/** Go's package of the internal types of a group. */
export const internalPackage = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? group))
