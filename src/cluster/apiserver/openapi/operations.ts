// The paths of an OpenAPI document: what may be done where. kubectl reads them to see whether a server knows a query
// parameter (`fieldValidation`, `dryRun`) and which kind a path is about.

import type { SubresourceInfo } from '#kinds'
import type { JsonObject } from '#objects'
import type { Served } from '../served.ts'

interface Place {
  readonly collection: string
  readonly namespaced: boolean
}

const places = (served: Served): Place => {
  const { info, apiVersion } = served
  const root = info.group === '' ? `/api/${info.version}` : `/apis/${apiVersion}`
  return {
    collection: info.namespaced ? `${root}/namespaces/{namespace}/${info.resource}` : `${root}/${info.resource}`,
    namespaced: info.namespaced,
  }
}

const text = (name: string, place: 'query' | 'path', type = 'string'): JsonObject => ({
  name,
  in: place,
  ...(place === 'path' ? { required: true } : {}),
  schema: { type, uniqueItems: true },
})

const write = [text('dryRun', 'query'), text('fieldManager', 'query'), text('fieldValidation', 'query')]
const listing = [
  text('allowWatchBookmarks', 'query', 'boolean'),
  text('continue', 'query'),
  text('fieldSelector', 'query'),
  text('labelSelector', 'query'),
  text('limit', 'query', 'integer'),
  text('resourceVersion', 'query'),
  text('resourceVersionMatch', 'query'),
  text('sendInitialEvents', 'query', 'boolean'),
  text('timeoutSeconds', 'query', 'integer'),
  text('watch', 'query', 'boolean'),
]
const removal = [
  text('dryRun', 'query'),
  text('gracePeriodSeconds', 'query', 'integer'),
  text('orphanDependents', 'query', 'boolean'),
  text('propagationPolicy', 'query'),
]

const methods: Readonly<
  Record<string, { readonly method: string; readonly action: string; readonly parameters: readonly JsonObject[] }>
> = {
  get: { method: 'get', action: 'get', parameters: [] },
  list: { method: 'get', action: 'list', parameters: listing },
  create: { method: 'post', action: 'post', parameters: write },
  update: { method: 'put', action: 'put', parameters: write },
  patch: { method: 'patch', action: 'patch', parameters: [...write, text('force', 'query', 'boolean')] },
  delete: { method: 'delete', action: 'delete', parameters: removal },
  deletecollection: { method: 'delete', action: 'deletecollection', parameters: [...removal, ...listing] },
}

// kubectl reads here whether it may send a strategic merge patch. Custom resources take none.
const patchTypes = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json']
const builtInPatchTypes = [...patchTypes, 'application/strategic-merge-patch+json']

interface Subject {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Names of the component schemas of the kind and its list. */
  readonly schema: string
  readonly listSchema: string
  readonly isCustom: boolean
}

const content = (ref: string): JsonObject => ({
  'application/json': { schema: { $ref: `#/components/schemas/${ref}` } },
})

const patchRef = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch'
const statusRef = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'
const deleteOptionsRef = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'

function operation(verb: string, subject: Subject): JsonObject {
  const { action = verb, parameters = [] } = methods[verb] ?? {}
  const { group, version, kind, isCustom } = subject
  const answer = verb === 'list' ? subject.listSchema : verb.startsWith('delete') ? statusRef : subject.schema
  const body =
    verb === 'patch'
      ? Object.fromEntries(
          (isCustom ? patchTypes : builtInPatchTypes).map((type) => [
            type,
            { schema: { $ref: `#/components/schemas/${patchRef}` } },
          ]),
        )
      : verb === 'create' || verb === 'update'
        ? { '*/*': { schema: { $ref: `#/components/schemas/${subject.schema}` } } }
        : verb.startsWith('delete')
          ? { '*/*': { schema: { $ref: `#/components/schemas/${deleteOptionsRef}` } } }
          : undefined
  return {
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters,
    ...(body === undefined ? {} : { requestBody: { content: body } }),
    responses: { 200: { description: 'OK', content: content(answer) }, 401: { description: 'Unauthorized' } },
  }
}

function item(
  verbs: readonly string[],
  offered: readonly string[],
  subject: Subject,
  namespaced: boolean,
  named: boolean,
): JsonObject {
  const entries = verbs
    .filter((verb) => offered.includes(verb))
    .map((verb) => [methods[verb]?.method ?? verb, operation(verb, subject)] as const)
  const parameters = [
    ...(named ? [text('name', 'path')] : []),
    ...(namespaced ? [text('namespace', 'path')] : []),
    text('pretty', 'query'),
  ]
  return { ...Object.fromEntries(entries), parameters }
}

const collectionVerbs = ['list', 'create', 'deletecollection']
const objectVerbs = ['get', 'update', 'patch', 'delete']

/** Paths of one resource. Built-in resources have the old watch paths as well. */
export function pathsOf(
  served: Served,
  schemaOf: (group: string, version: string, kind: string) => string,
): Record<string, JsonObject> {
  const { info } = served
  const { collection, namespaced } = places(served)
  const subject: Subject = {
    group: info.group,
    version: info.version,
    kind: info.kind,
    schema: schemaOf(info.group, info.version, info.kind),
    listSchema: schemaOf(info.group, info.version, served.custom?.listKind ?? `${info.kind}List`),
    isCustom: served.custom !== undefined,
  }
  const out: Record<string, JsonObject> = {}
  const has = (verbs: readonly string[]): boolean => verbs.some((verb) => info.verbs.includes(verb))
  const everywhere = collection.replace('/namespaces/{namespace}', '')
  if (has(collectionVerbs)) out[collection] = item(collectionVerbs, info.verbs, subject, namespaced, false)
  if (namespaced && info.verbs.includes('list')) out[everywhere] = item(['list'], info.verbs, subject, false, false)
  if (has(objectVerbs)) out[`${collection}/{name}`] = item(objectVerbs, info.verbs, subject, namespaced, true)
  for (const subresource of info.subresources) {
    const path = `${collection}/{name}/${subresource.name}`
    const made = subresourceItem(subresource, served, schemaOf)
    out[path] = made
    if (subresource.name === 'proxy') out[`${path}/{path}`] = withPath(made)
  }
  if (served.custom !== undefined || !info.verbs.includes('watch')) return out
  const watch = (path: string): string => path.replace(/^(\/apis?\/(?:[^/]+\/)?v[^/]+)\//, '$1/watch/')
  for (const path of new Set([everywhere, collection, `${collection}/{name}`])) {
    out[watch(path)] = item(['list'], ['list'], subject, path.includes('{namespace}'), path.endsWith('{name}'))
  }
  return out
}

/** What a proxy does with the paths below its own. */
const withPath = ({ parameters, ...operations }: JsonObject): JsonObject => ({
  ...operations,
  parameters: [...(parameters as readonly JsonObject[]), text('path', 'path')],
})

function subresourceItem(
  subresource: SubresourceInfo,
  { info, custom }: Served,
  schemaOf: (group: string, version: string, kind: string) => string,
): JsonObject {
  const own = subresource.group === '' && subresource.version === ''
  const gvk = own ? { group: info.group, version: info.version, kind: subresource.kind } : subresource
  const schema = schemaOf(gvk.group, gvk.version, gvk.kind)
  const { group, version, kind } = gvk
  const subject: Subject = { group, version, kind, schema, listSchema: schema, isCustom: custom !== undefined }
  return item(['get', 'create', 'update', 'patch', 'delete'], subresource.verbs, subject, info.namespaced, true)
}
