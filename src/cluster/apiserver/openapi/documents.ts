// /openapi/v3 (an index, one document a group version) and /openapi/v2. Documents are large: they are made when asked
// for and kept as text until what is served changes.

import { createHash } from 'node:crypto'
import type { ApiRequest, ApiResponse } from '#api'
import { loadDescriptions } from '#kinds'
import type { JsonObject } from '#objects'
import type { Core } from '../core.ts'
import { serverVersion } from '../discovery/version.ts'
import { viewOf } from '../metrics/resources.ts'
import type { Registry, Served } from '../served.ts'
import { customSchemaName, customSchemas } from './custom.ts'
import { pathsOf } from './operations.ts'
import { definitionOf, described, withReferences } from './schemas.ts'

/** Documents kept at most: more than there are built-in group versions. */
const maxKept = 64
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const inMeta = (...names: readonly string[]): readonly string[] => names.map((name) => `${meta}.${name}`)
const listed = inMeta('APIResource', 'APIResourceList')
const kept = inMeta('DeleteOptions', 'Patch', 'Status', 'WatchEvent')
const fixed: Readonly<Record<string, readonly string[]>> = {
  '.well-known/openid-configuration': [],
  api: ['APIVersions'],
  apis: ['APIGroupList'],
  'openid/v1/jwks': [],
  version: [],
}

/** The one kind that is no Kubernetes object. */
const versionInfo: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.version.Info': {
    type: 'object',
    properties: Object.fromEntries(Object.keys(serverVersion).map((name) => [name, { type: 'string' }])),
    required: Object.keys(serverVersion).filter((name) => !/^(emulation|minCompatibility)/.test(name)),
  },
}

const texts = new WeakMap<Core, { readonly generation: number; readonly texts: Map<string, string> }>()

/** Answers a path below /openapi; undefined when there is no such document. */
export async function openApi(core: Core, path: string, _request: ApiRequest): Promise<ApiResponse | undefined> {
  if (path === '/openapi/v2') return json(await cached(core, 'v2', () => swagger(core)))
  if (path === '/openapi/v3') return json(JSON.stringify(index(core)))
  const name = path.startsWith('/openapi/v3/') ? path.slice('/openapi/v3/'.length) : ''
  const hash = hashes(core).get(name)
  if (hash === undefined)
    return { status: 404, body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: '' } }
  return json(await cached(core, name, () => document(core, name)), { etag: `"${hash}"` })
}

const json = (text: string, headers?: Readonly<Record<string, string>>): ApiResponse => ({
  status: 200,
  body: { type: 'text', contentType: 'application/json', text },
  ...(headers === undefined ? {} : { headers }),
})

async function cached(core: Core, name: string, make: () => Promise<object>): Promise<string> {
  const { generation } = core.registry
  let made = texts.get(core)
  if (made?.generation !== generation) {
    made = { generation, texts: new Map() }
    texts.set(core, made)
  }
  const known = made.texts.get(name)
  if (known !== undefined) return known
  const text = JSON.stringify(await make())
  if (made.texts.size >= maxKept) made.texts.clear()
  made.texts.set(name, text)
  return text
}

const pathOf = ({ info, apiVersion }: Served): string =>
  info.group === '' ? `api/${info.version}` : `apis/${apiVersion}`

/** Views have no schema to tell of. */
const documented = (registry: Registry): readonly Served[] =>
  [...registry.all()].filter((served) => viewOf(served) === undefined)

/** What each document depends on, hashed: clients keep documents by it. */
function hashes({ registry }: Core): ReadonlyMap<string, string> {
  const contents = new Map<string, string>(Object.keys(fixed).map((name) => [name, '']))
  for (const served of documented(registry)) {
    const path = pathOf(served)
    const { resourceVersion = '' } = served.custom?.definition.metadata ?? {}
    contents.set(path, `${contents.get(path) ?? ''} ${served.info.resource}@${resourceVersion}`)
    if (served.info.group !== '' && served.custom === undefined) contents.set(`apis/${served.info.group}`, '')
  }
  const sorted = [...contents].sort(([a], [b]) => (a < b ? -1 : 1))
  const hash = (text: string): string =>
    createHash('sha512').update(`${serverVersion.gitVersion} ${text}`).digest('hex').toUpperCase()
  return new Map(sorted.map(([name, text]) => [name, hash(`${name}${text}`)]))
}

const index = (core: Core): object => ({
  paths: Object.fromEntries(
    [...hashes(core)].map(([name, hash]) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }]),
  ),
})

const schemaName = (group: string, version: string, kind: string): string =>
  definitionOf(group, version, kind) ?? customSchemaName(group, version, kind)

async function document(core: Core, name: string): Promise<object> {
  const resources = documented(core.registry).filter((served) => pathOf(served) === name)
  const isCustom = resources.some(({ custom }) => custom !== undefined)
  const own = Object.assign({}, ...resources.map(customSchemas), name === 'version' ? versionInfo : {}) as Record<
    string,
    JsonObject
  >
  const paths: Record<string, JsonObject> = isCustom
    ? {}
    : { [`/${name}/`]: { get: { 'x-kubernetes-action': 'get', responses: {} } } }
  for (const served of resources) Object.assign(paths, pathsOf(served, schemaName))
  const roots = [...Object.keys(own), ...(resources.length > 0 ? metaRoots(resources) : fixedRoots(name))]
  for (const [, ref = ''] of JSON.stringify(paths).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) roots.push(ref)
  const descriptions = await loadDescriptions()
  const ids = withReferences(roots, own)
  const schemas = Object.fromEntries(ids.map((id) => [id, own[id] ?? described(id, descriptions)]))
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: serverVersion.gitVersion },
    paths: sorted(paths),
    components: { schemas },
  }
}

const fixedRoots = (name: string): readonly string[] => inMeta(...(fixed[name] ?? ['APIGroup']))

/** What documents of custom resources tell of too is what is written; of reviews, which nobody keeps, nothing is. */
function metaRoots(resources: readonly Served[]): readonly string[] {
  if (resources.some(({ custom }) => custom !== undefined)) return inMeta('DeleteOptions', 'Patch', 'Status')
  return resources.some(({ info }) => info.verbs.includes('get')) ? [...listed, ...kept] : listed
}

const sorted = (paths: Record<string, JsonObject>): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)))

/** OpenAPI v2 as far as clients still read it: the definitions. */
async function swagger(core: Core): Promise<object> {
  const descriptions = await loadDescriptions()
  const own: Record<string, object> = {}
  const roots: string[] = [...listed, ...kept]
  for (const served of documented(core.registry)) {
    Object.assign(own, customSchemas(served))
    roots.push(schemaName(served.info.group, served.info.version, served.info.kind))
    roots.push(schemaName(served.info.group, served.info.version, served.custom?.listKind ?? `${served.info.kind}List`))
  }
  const ids = withReferences(roots, own)
  const definitions = Object.fromEntries(ids.map((id) => [id, asSwagger(own[id] ?? described(id, descriptions))]))
  return { swagger: '2.0', info: { title: 'Kubernetes', version: serverVersion.gitVersion }, paths: {}, definitions }
}

/** OpenAPI v3 schemas say more than v2 may: references stand alone, alternatives and nullability are left out. */
function asSwagger(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asSwagger)
  if (typeof schema !== 'object' || schema === null) return schema
  const {
    allOf,
    oneOf: _oneOf,
    anyOf: _anyOf,
    not: _not,
    nullable: _nullable,
    default: _default,
    $ref,
    ...rest
  } = schema as Readonly<Record<string, unknown>>
  const [only] = (allOf as readonly { readonly $ref?: string }[] | undefined) ?? []
  const ref = ($ref as string | undefined) ?? only?.$ref
  const out = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === 'properties' ? byName(value as object) : asSwagger(value),
    ]),
  )
  return ref === undefined ? out : { ...out, $ref: ref.replace('#/components/schemas/', '#/definitions/') }
}

/** Names of properties are no keywords. */
const byName = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, asSwagger(property)]))
