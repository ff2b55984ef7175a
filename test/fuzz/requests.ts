// Requests as they come over the wire: nearly right ones, with something odd in path, query, headers or body.

import { stringify } from 'yaml'
import { builtInSchema, resourceTable } from '#kinds'
import type { Json } from '#objects'
import { bySchema, mutated } from './bodies.ts'
import { namespace, type Recorded, recordedRequests } from './corpus.ts'
import { below, chance, type Draw, oddText, oddValue, pick, withFields } from './draw.ts'
import { patchOf } from './patches.ts'
import { protobufBody } from './protobuf.ts'

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** An object that is there, by its path. */
export interface Present {
  readonly path: string
  readonly object: Json
}

const corpus = recordedRequests()
const writes = corpus.filter(({ method }) => method === 'POST' || method === 'PUT')

export function requestOf(draw: Draw, present: readonly Present[]): WireRequest {
  const way = below(draw, 100)
  if (way < 35) return written(draw, pick(draw, writes))
  if (way < 50) return created(draw)
  if (way < 80 && present.length > 0) return changed(draw, pick(draw, present))
  return asked(draw, present)
}

function written(draw: Draw, { method, path, contentType, body }: Recorded): WireRequest {
  return encoded(draw, { method, path: withQuery(draw, path, writeParameters), contentType, body: mutated(draw, body) })
}

const withSchema = resourceTable.filter(
  ({ group, version, kind, verbs }) => verbs.includes('create') && builtInSchema(group, version, kind) !== undefined,
)

const collection = ({ group, version, resource, namespaced }: (typeof resourceTable)[number]): string =>
  `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespaced ? `/namespaces/${namespace}` : ''}/${resource}`

/** An object of any kind, made by its schema. */
function created(draw: Draw): WireRequest {
  const info = pick(draw, withSchema)
  const { group, version, kind } = info
  const apiVersion = group === '' ? version : `${group}/${version}`
  const path = withQuery(draw, collection(info), writeParameters)
  if (chance(draw, 20)) {
    const headers = { ...headersOf(draw), 'content-type': 'application/vnd.kubernetes.protobuf' }
    return { method: 'POST', path, headers, body: protobufBody(draw, { apiVersion, kind }) }
  }
  const schema = builtInSchema(group, version, kind)
  const made = schema === undefined ? {} : bySchema(draw, schema)
  const named = {
    apiVersion,
    kind,
    metadata: { name: `x${below(draw, 9)}` },
  }
  const isMap = typeof made === 'object' && made !== null && !Array.isArray(made)
  const body = isMap && chance(draw, 95) ? withFields(Object.entries({ ...made, ...named }) as [string, Json][]) : made
  return encoded(draw, { method: 'POST', path, contentType: 'application/json', body })
}

const subresources = [
  'status',
  'scale',
  'eviction',
  'binding',
  'token',
  'resize',
  'ephemeralcontainers',
  'approval',
  'finalize',
  'log',
  'x',
]

function changed(draw: Draw, { path: own, object }: Present): WireRequest {
  const path = withQuery(draw, chance(draw, 20) ? `${own}/${pick(draw, subresources)}` : own, writeParameters)
  if (chance(draw, 10))
    return encoded(draw, { method: 'DELETE', path, contentType: 'application/json', body: options(draw) })
  if (chance(draw, 30))
    return encoded(draw, { method: 'PUT', path, contentType: 'application/json', body: mutated(draw, object) })
  return encoded(draw, { method: 'PATCH', path, ...patchOf(draw, object) })
}

const options = (draw: Draw): Json =>
  chance(draw, 10)
    ? oddValue(draw)
    : {
        kind: 'DeleteOptions',
        propagationPolicy: pick(draw, ['Orphan', 'Foreground', 'Background', 'x']),
        gracePeriodSeconds: pick(draw, [0, -1, 1, null]),
        preconditions: chance(draw, 80) ? {} : oddValue(draw),
      }

const methods = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
const plainPaths = [
  '/',
  '/api',
  '/apis',
  '/version',
  '/healthz',
  '/livez/etcd',
  '/readyz',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/apis/apps/v1',
  '/metrics',
  '/apis/apps',
  '/apis/apps/v1',
  '/x',
  '/api/v1/x/y/z/w/v',
  '//',
  '/%',
  '/api/v1/%ff',
  '/api/v1/namespaces//pods',
  '/apis/metrics.k8s.io/v1beta1/pods',
  '/apis/custom.metrics.k8s.io/v1beta2/namespaces/x/pods/*/y',
  '/apis/external.metrics.k8s.io/v1beta1/namespaces/x/y',
]

function asked(draw: Draw, present: readonly Present[]): WireRequest {
  const isPlain = chance(draw, 20)
  const known =
    present.length > 0 && chance(draw, 40) ? pick(draw, present).path : collection(pick(draw, resourceTable))
  const own = isPlain
    ? pick(draw, plainPaths)
    : chance(draw, 10)
      ? `${known}/${encodeURIComponent(wellFormed(oddText(draw)))}`
      : known
  const path = withQuery(draw, chance(draw, 10) ? `${own}/${pick(draw, subresources)}` : own, readParameters)
  const method = chance(draw, 85) ? 'GET' : pick(draw, methods)
  // Deleting whole collections would leave nothing to be odd with.
  return { method: method === 'DELETE' && !isPlain ? 'GET' : method, path, headers: headersOf(draw) }
}

type Parameters = Readonly<Record<string, readonly string[]>>

const writeParameters: Parameters = {
  dryRun: ['All', 'x', ''],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  fieldManager: ['me', '', 'a/b', 'x'.repeat(200), '\u0000'],
  force: ['true', 'false', 'x', ''],
  pretty: ['true'],
  gracePeriodSeconds: ['0', '-1', 'x', '9'.repeat(30)],
  propagationPolicy: ['Orphan', 'x'],
  orphanDependents: ['true', 'x'],
  resourceVersion: ['0', 'x', '1'],
}

const selectors = [
  'a=b',
  'a in (b,c)',
  'a notin (b',
  '!a',
  'a==b,c!=d',
  'a>1',
  'a<x',
  ',',
  'a=b=c',
  '((',
  'a in ()',
  '=',
  'x/y/z=1',
  '-a=1',
  'metadata.name=x',
  'spec.nodeName=',
  'status.phase!=x',
  'metadata.name=a\\,b',
  'involvedObject.name=x',
  'spec.x=\\',
]

const readParameters: Parameters = {
  labelSelector: selectors,
  fieldSelector: selectors,
  limit: ['1', '0', '-1', 'x', '500', '9'.repeat(30)],
  continue: [
    'x',
    '',
    'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ',
    'bnVsbA',
    'W10',
    'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiXHUwMDAwIn0',
    'eyJ2IjoxfQ',
  ],
  resourceVersion: ['0', '1', 'x', '-1', '9'.repeat(30), ''],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  timeoutSeconds: ['1', '0', '-1', 'x'],
  watch: ['true', '0', 'x'],
  allowWatchBookmarks: ['true', 'x'],
  sendInitialEvents: ['true', 'false', 'x'],
  pretty: ['true', 'x'],
  includeObject: ['None', 'Object', 'Metadata', 'x'],
  container: ['app', 'x', ''],
  follow: ['true', 'x'],
  tailLines: ['1', '-1', 'x'],
  sinceSeconds: ['1', '-1', 'x'],
  sinceTime: ['2024-01-01T00:00:00Z', 'x'],
  limitBytes: ['1', '0', 'x'],
  previous: ['true', 'x'],
  command: ['ls', ''],
  ports: ['80', 'x'],
}

function withQuery(draw: Draw, path: string, parameters: Parameters): string {
  if (chance(draw, 50)) return path
  const query = new URLSearchParams()
  for (let count = 1 + below(draw, 3); count > 0; count--) {
    const name = pick(draw, Object.keys(parameters))
    query.append(name, chance(draw, 85) ? pick(draw, parameters[name] ?? ['']) : oddText(draw).slice(0, 2000))
  }
  return `${path}?${query}`
}

const accepts = [
  'application/json',
  '*/*',
  'application/yaml',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf',
  'text/html',
  'application/json;as=x',
  ';',
  'application/json;q=x',
  'application/cbor, application/json',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  '',
]

function headersOf(draw: Draw): Readonly<Record<string, string>> {
  return {
    ...(chance(draw, 12) ? { accept: pick(draw, accepts) } : {}),
    ...(chance(draw, 10) ? { 'user-agent': pick(draw, ['curl/8', 'kubectl/v1.34', '', '/']) } : {}),
    ...(chance(draw, 10) ? { 'accept-encoding': 'gzip' } : {}),
    ...(chance(draw, 3) ? { 'impersonate-user': pick(draw, ['ann', 'system:node:a', 'system:serviceaccount:x']) } : {}),
  }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly contentType: string
  readonly body: Json
}

const contentTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'application/json; charset=utf-8',
  '',
  'application/cbor',
  'application/apply-patch+yaml',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
]

function encoded(draw: Draw, { method, path, contentType, body }: Sent): WireRequest {
  const asYaml = contentType.includes('yaml') || (contentType === 'application/json' && chance(draw, 20))
  const type = chance(draw, 4)
    ? pick(draw, contentTypes)
    : asYaml && !contentType.includes('yaml')
      ? 'application/yaml'
      : contentType
  const text = asYaml ? yamlOf(body) : JSON.stringify(body)
  const headers = { ...headersOf(draw), ...(type === '' ? {} : { 'content-type': type }) }
  return { method, path, headers, body: chance(draw, 5) ? broken(draw, text) : text }
}

const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/g, '')

/** JSON is YAML; what the writer refuses is sent so. */
function yamlOf(body: Json): string {
  try {
    return stringify(body)
  } catch {
    return JSON.stringify(body)
  }
}

const yamlOddities = [
  '&a [*a]',
  '*b',
  '!!binary x',
  '<<: {a: b}',
  '? {a: b}\n: c',
  '---\n---\n',
  '\t',
  '%YAML 9',
  '"',
  '{a: b',
  '[',
  '- - -',
  'a: b: c',
  '!!float x',
  '0o9',
]

function broken(draw: Draw, text: string): string {
  const at = below(draw, text.length + 1)
  switch (below(draw, 5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return `${text.slice(0, at)}${oddText(draw)}${text.slice(at)}`
    case 2:
      return pick(draw, yamlOddities)
    case 3:
      return `${text}${text}`
    default:
      return `${text.slice(0, at)}${pick(draw, yamlOddities)}${text.slice(at)}`
  }
}
