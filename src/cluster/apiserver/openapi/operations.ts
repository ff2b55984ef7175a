// What may be done where, told once for both forms of OpenAPI: the paths of a served resource and of its subresources, from
// the table that discovery is made of. kubectl reads them to see whether a server knows a query parameter and which kind
// a path is about; generators of clients read all of it.

import type { ParameterTexts, SubresourceInfo } from '#kinds'
import { answersWithDeleted } from '../deleted-object.ts'
import type { Served } from '../served.ts'
import { nameOf, namespace, optionsOf, type Parameter, pathBelow, pretty } from './parameters.ts'
import { type Kind, operationId, type Subject, tagOf, type Verb, verbs } from './verbs.ts'

/** What a response or body holds: the name of a schema, `string` of plain text, nothing. */
export type Content = string | undefined

export interface Operation {
  readonly method: string
  readonly id: string
  readonly about?: string
  readonly tag: string
  readonly action?: string
  readonly kind?: Kind
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly schema: string; readonly required: boolean }
  readonly responses: Readonly<Record<number, Content>>
}

export type Paths = Record<string, readonly Operation[]>

export const plainTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
export const objectTypes = [...plainTypes, 'application/cbor']
const listTypes = [
  ...objectTypes,
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/cbor-seq',
]
const customTypes = ['application/json', 'application/yaml']
const customPatchTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']
const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
]
const connectVerbs: Readonly<Record<string, readonly string[]>> = {
  get: ['get'],
  create: ['post'],
  update: ['put'],
  delete: ['delete'],
  patch: ['patch'],
  // Whoever is behind a proxy may be asked in any way.
  proxied: ['head', 'options'],
}
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Where an operation stands: `path` with what its braces mean. */
interface Place {
  readonly path: string
  readonly inPath: readonly Parameter[]
  /** `WithPath`, `ForAllNamespaces`. */
  readonly suffix?: string
}

export type SchemaOf = (group: string, version: string, kind: string) => string

interface Context {
  readonly served: Served
  readonly texts: ParameterTexts
  readonly schemaOf: SchemaOf
}

/** All paths of one resource. Built-in resources have the old watch paths as well. */
export function pathsOf(served: Served, texts: ParameterTexts, schemaOf: SchemaOf): Paths {
  const { info, apiVersion, custom } = served
  const context: Context = { served, texts, schemaOf }
  const root = info.group === '' ? `/api/${info.version}` : `/apis/${apiVersion}`
  const inNamespace = info.namespaced ? [namespace] : []
  const collection: Place = {
    path: `${root}${info.namespaced ? '/namespaces/{namespace}' : ''}/${info.resource}`,
    inPath: inNamespace,
  }
  const everywhere: Place = { path: `${root}/${info.resource}`, inPath: [], suffix: 'ForAllNamespaces' }
  const object: Place = { path: `${collection.path}/{name}`, inPath: [nameOf(info.kind), ...inNamespace] }
  const own: Subject = { kind: info, main: info.kind, schema: schemaOf(info.group, info.version, info.kind) }
  const out: Paths = {}
  const add = (place: Place, offered: readonly Verb[], known: readonly string[]): void => {
    const made = offered.filter((verb) => known.includes(verb)).map((verb) => operation(context, verb, own, place))
    if (made.length > 0) out[place.path] = [...(out[place.path] ?? []), ...made]
  }
  add(collection, ['list', 'create', 'deletecollection'], info.verbs)
  if (info.namespaced) add(everywhere, ['list'], info.verbs)
  add(object, ['get', 'update', 'patch', 'delete'], info.verbs)
  for (const subresource of info.subresources)
    for (const place of placesOf(subresource, object))
      out[place.path] = subresourceOperations(context, subresource, place)
  if (custom !== undefined || !info.verbs.includes('watch')) return out
  const old = (place: Place): Place => ({ ...place, path: place.path.replace(root, `${root}/watch`) })
  for (const place of info.namespaced ? [everywhere, collection] : [collection])
    add(old(place), ['watchlist'], ['watchlist'])
  if (info.verbs.includes('get')) add(old(object), ['watch'], ['watch'])
  return out
}

/** A proxy is there for the paths below its own too. */
function placesOf({ name, kind }: SubresourceInfo, object: Place): readonly Place[] {
  const place: Place = { path: `${object.path}/${name}`, inPath: [nameOf(kind), ...object.inPath.slice(1)] }
  if (name !== 'proxy') return [place]
  return [place, { path: `${place.path}/{path}`, inPath: [...place.inPath, pathBelow], suffix: 'WithPath' }]
}

function subresourceOperations(context: Context, subresource: SubresourceInfo, place: Place): readonly Operation[] {
  const { info, custom } = context.served
  const isOwn = subresource.group === '' && subresource.version === ''
  const kind: Kind = isOwn ? { ...info, kind: subresource.kind } : subresource
  const schema = context.schemaOf(kind.group, kind.version, kind.kind)
  // Of custom resources every path is told to be about the custom kind.
  const subject: Subject = { kind: custom === undefined ? kind : info, main: info.kind, sub: subresource.name, schema }
  if (kind.kind.endsWith('Options')) return connections(context, subject, subresource, place)
  const told = custom === undefined ? place : { ...place, inPath: [nameOf(info.kind), ...place.inPath.slice(1)] }
  const offered: readonly Verb[] = ['get', 'create', 'update', 'patch']
  return offered
    .filter((verb) => subresource.verbs.includes(verb))
    .map((verb) => operation(context, verb, subject, told))
}

function connections(
  { texts }: Context,
  { kind, main, sub = '' }: Subject,
  { verbs: known }: SubresourceInfo,
  place: Place,
): readonly Operation[] {
  const offered = [...known, ...(sub === 'proxy' ? ['proxied'] : [])].flatMap((verb) => connectVerbs[verb] ?? [])
  const namespaced = place.inPath.includes(namespace) ? 'Namespaced' : ''
  return offered.map((method) => ({
    method,
    id: operationId(place.path, 'connect', `${method}${namespaced}${main}${capital(sub)}${place.suffix ?? ''}`),
    about: `connect ${method.toUpperCase()} requests to ${sub} of ${main}`,
    tag: tagOf(place.path),
    action: 'connect',
    kind,
    consumes: ['*/*'],
    produces: ['*/*'],
    parameters: [...place.inPath, ...optionsOf(texts, kind.kind)],
    responses: { 200: 'string' },
  }))
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

function operation({ served, texts, schemaOf }: Context, verb: Verb, subject: Subject, place: Place): Operation {
  const { info, custom } = served
  const { kind, main, sub = '', schema } = subject
  const isCustom = custom !== undefined
  const isLog = sub === 'log'
  const { method, action, prefix, codes, says } = verbs[verb]
  const namespaced = place.inPath.includes(namespace) ? 'Namespaced' : ''
  const ending = verb === 'watchlist' ? 'List' : ''
  const answers: Readonly<Partial<Record<Verb, string>>> = {
    list: schemaOf(info.group, info.version, custom?.listKind ?? `${info.kind}List`),
    deletecollection: `${meta}.Status`,
    delete: !isCustom && answersWithDeleted(info) ? schema : `${meta}.Status`,
    watch: `${meta}.WatchEvent`,
    watchlist: `${meta}.WatchEvent`,
  }
  const answer = isLog ? 'string' : (answers[verb] ?? schema)
  const body = bodyOf(verb, schema, isCustom)
  const watches = verb === 'list' || verb === 'watch' || verb === 'watchlist'
  const produces = isCustom ? customTypes : watches ? listTypes : objectTypes
  return {
    method,
    id: operationId(
      place.path,
      prefix,
      `${verb === 'deletecollection' ? 'Collection' : ''}${namespaced}${main}${capital(sub)}${ending}${place.suffix ?? ''}`,
    ),
    about: says(main, sub, !isCustom && info.verbs.includes('watch')),
    tag: tagOf(place.path),
    action,
    kind,
    consumes: verb === 'patch' ? (isCustom ? customPatchTypes : patchTypes) : isCustom ? customTypes : ['*/*'],
    produces: isLog ? ['text/plain', ...objectTypes] : produces,
    parameters: [
      ...place.inPath,
      pretty,
      ...(isLog ? optionsOf(texts, 'PodLogOptions') : queryOf(verb, texts, isCustom)),
    ],
    ...(body === undefined ? {} : { body }),
    responses: Object.fromEntries((isCustom && verb === 'patch' ? [200] : codes).map((code) => [code, answer])),
  }
}

function bodyOf(verb: Verb, schema: string, isCustom: boolean): Operation['body'] {
  if (verb === 'create' || verb === 'update') return { schema, required: true }
  if (verb === 'patch') return { schema: `${meta}.Patch`, required: true }
  const isRemoval = verb === 'delete' || (verb === 'deletecollection' && !isCustom)
  return isRemoval ? { schema: `${meta}.DeleteOptions`, required: false } : undefined
}

const isNoSelection = ['watch', 'allowWatchBookmarks']

function queryOf(verb: Verb, texts: ParameterTexts, isCustom: boolean): readonly Parameter[] {
  switch (verb) {
    case 'get':
      return isCustom ? optionsOf(texts, 'ListOptions').filter(({ name }) => name === 'resourceVersion') : []
    case 'deletecollection':
      if (isCustom) return optionsOf(texts, 'ListOptions')
      return [...optionsOf(texts, 'DeleteOptions'), ...optionsOf(texts, 'ListOptions', isNoSelection)]
    default:
      return optionsOf(texts, verbs[verb].options)
  }
}
