// The kind that a body must hold, and what a body says of its own kind and version: filled in where it is left out, refused where
// it is another. Texts are those of Kubernetes' decoders.

import { builtInSchema, resourceTable } from '#kinds'
import type { AnyObject, JsonObject, Schema } from '#objects'
import { typeMetaFault } from './body-text.ts'
import { badRequest } from './errors.ts'
import type { Scope } from './scope.ts'
import { fromStored, type Served, toStored } from './served.ts'
import { unchanged } from './strategy.ts'

/** What a body must hold. */
export interface Expected {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: Schema | undefined
  readonly isCustom: boolean
  readonly defaults: (object: AnyObject) => AnyObject
  /** Older versions of the same shape, which are taken as well. */
  readonly alsoAs?: readonly string[]
}

const expectations = new WeakMap<Served, Expected>()

/** The resource's own kind. */
export function expectedOf(served: Served): Expected {
  const known = expectations.get(served)
  if (known !== undefined) return known
  const { info, schema, strategy, custom } = served
  const { group, version, kind } = info
  const defaults =
    served.conversion === undefined || custom !== undefined || strategy.defaults === unchanged
      ? strategy.defaults
      : (object: AnyObject) => fromStored(served, strategy.defaults(toStored(served, object)))
  const made = { group, version, kind, schema, isCustom: custom !== undefined, defaults }
  expectations.set(served, made)
  return made
}

/** A built-in kind that is no resource of its own: Scale, Binding, Eviction, TokenRequest. */
export const expectedKind = (group: string, version: string, kind: string): Expected => ({
  group,
  version,
  kind,
  schema: builtInSchema(group, version, kind),
  isCustom: false,
  defaults: unchanged,
})

const servedKinds = new Set(resourceTable.map(({ group, version, kind }) => `${group}/${version}/${kind}`))
const retired =
  /^(extensions\/v1beta1|(apps|batch|policy|autoscaling|[a-z.]+\.k8s\.io)\/(v[12](alpha|beta)[1-3]|v2alpha1))$/

const apiVersion = ({ group, version }: Pick<Expected, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

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
  if (expected.isCustom) {
    if (kind === expected.kind)
      throw badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`)
    return object
  }
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
export function withPatchedType(scope: Scope, object: AnyObject, refuse: (why: string) => Error): AnyObject {
  const expected = expectedOf(scope.served)
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
