// Content negotiation as in Kubernetes' apiserver: which representation a client gets, and the two refusals it can meet
// (the router's, when no media type fits at all, and the serialiser's, when only the parameters do not). JSON and YAML
// are served; protobuf (but for OpenAPI v2) and CBOR are not, so a client that takes nothing else is refused. Pure.

import { ApiError, type Representation } from '#api'
import type { Target } from './route.ts'

export interface Negotiated {
  readonly format: 'json' | 'yaml'
  readonly representation: Representation
  /** `pretty=1` as a parameter of the media type. */
  readonly pretty: boolean
}

export interface Clause {
  readonly type: string
  readonly subtype: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

const accepted = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const acceptedStreams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']

/** Reads an Accept header; the best clause comes first. An absent header takes anything. */
export function parseAccept(header: string | undefined): readonly Clause[] {
  const text = header === undefined || header.trim() === '' ? '*/*' : header
  return text
    .split(',')
    .flatMap((part) => clauseOf(part) ?? [])
    .map((clause, index) => ({ clause, index }))
    .sort((a, b) => b.clause.quality - a.clause.quality || breadth(a.clause) - breadth(b.clause) || a.index - b.index)
    .map(({ clause }) => clause)
}

/** What `target` is answered with for this Accept header; throws the 406 that Kubernetes would give. */
export function negotiate(header: string | undefined, target: Target): Negotiated {
  const clauses = parseAccept(header)
  if (target.path === '/openapi/v2') return negotiateOpenApiV2(clauses)
  if (target.resource === undefined) return negotiateNonResource(clauses)
  // Whoever is behind a proxy chooses his own form; only faults are told in one of ours.
  if (target.subresource === 'proxy') return { format: 'json', representation: whole, pretty: false }
  const stream = target.verb === 'watch'
  const produced = producedBy(target)
  const routable = clauses.some((clause) => produced.some((media) => fits(clause, media.split(';')[0] ?? '')))
  if (!routable) throw routerRefusal(produced)
  for (const clause of clauses) {
    const format = formatOf(clause)
    if (format === undefined || (stream && format === 'yaml')) continue
    const representation = representationOf(clause)
    if (representation !== undefined) return { format, representation, pretty: isPretty(clause) }
  }
  if (target.subresource === 'log') return { format: 'json', representation: whole, pretty: false }
  throw serializerRefusal(stream ? acceptedStreams : accepted, clauses)
}

const whole: Representation = { as: 'object', managedFields: true }

/** What clients call the one binary form of OpenAPI v2 that they know. */
const binaryOpenApiV2: ReadonlySet<string> = new Set([
  'com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'com.github.proto-openapi.spec.v2.v1.0+protobuf',
])

/** JSON or protobuf; whoever asks for neither is refused by the document's own handler. */
function negotiateOpenApiV2(clauses: readonly Clause[]): Negotiated {
  const answer = (openApiV2?: 'json' | 'protobuf'): Negotiated => ({
    format: 'json',
    representation: openApiV2 === undefined ? whole : { ...whole, openApiV2 },
    pretty: false,
  })
  for (const clause of clauses) {
    if (clause.quality <= 0) continue
    if (fits(clause, 'application/json')) return answer('json')
    if (clause.type === 'application' && binaryOpenApiV2.has(clause.subtype)) return answer('protobuf')
  }
  return answer()
}

/** Discovery and texts: aggregated discovery where it is asked for, else JSON unless YAML is preferred. */
function negotiateNonResource(clauses: readonly Clause[]): Negotiated {
  for (const clause of clauses) {
    const format = formatOf(clause)
    if (format === undefined) continue
    const as = clause.parameters.get('as')
    if (as === undefined) return { format, representation: whole, pretty: isPretty(clause) }
    const version = clause.parameters.get('v')
    const group = clause.parameters.get('g')
    if (as !== 'APIGroupDiscoveryList' || group !== 'apidiscovery.k8s.io') continue
    if (version !== 'v2' && version !== 'v2beta1') continue
    const representation: Representation = { ...whole, aggregatedDiscovery: version }
    return { format, representation, pretty: isPretty(clause) }
  }
  const onlyBinary = clauses.every(({ subtype }) => /protobuf|cbor/.test(subtype))
  if (onlyBinary) throw serializerRefusal(accepted, clauses)
  return { format: 'json', representation: whole, pretty: false }
}

function clauseOf(part: string): Clause | undefined {
  const [media = '', ...rest] = part.split(';')
  const [type = '', subtype = ''] = media.trim().toLowerCase().split('/')
  if (type === '' || subtype === '') return undefined
  const parameters = new Map<string, string>()
  for (const text of rest) {
    const at = text.indexOf('=')
    if (at > 0)
      parameters.set(
        text.slice(0, at).trim(),
        text
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      )
  }
  const quality = Number(parameters.get('q') ?? 1)
  return { type, subtype, quality: Number.isFinite(quality) ? quality : 0, parameters }
}

/** 0 for a named media type, 1 for `type/*`, 2 for anything. */
function breadth(clause: Clause): number {
  return (clause.type === '*' ? 1 : 0) + (clause.subtype === '*' ? 1 : 0)
}

function fits(clause: Clause, media: string): boolean {
  const [type, subtype] = media.split('/')
  return (clause.type === '*' || clause.type === type) && (clause.subtype === '*' || clause.subtype === subtype)
}

function formatOf(clause: Clause): 'json' | 'yaml' | undefined {
  if (clause.quality <= 0) return undefined
  if (fits(clause, 'application/json')) return 'json'
  return fits(clause, 'application/yaml') ? 'yaml' : undefined
}

/** Undefined when the clause's parameters ask for what is not served. */
function representationOf({ parameters }: Clause): Representation | undefined {
  const stream = parameters.get('stream')
  if (stream !== undefined && stream !== 'watch') return undefined
  const as = parameters.get('as')
  if (as === undefined) return whole
  const metaVersion = parameters.get('v')
  if (parameters.get('g') !== 'meta.k8s.io' || (metaVersion !== 'v1' && metaVersion !== 'v1beta1')) return undefined
  if (as === 'Table') return { as: 'table', managedFields: true, metaVersion }
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
    return { as: 'partial', managedFields: true, metaVersion, ofList: as.endsWith('List') }
  return undefined
}

function isPretty({ parameters }: Clause): boolean {
  const pretty = parameters.get('pretty')
  return pretty === '1' || pretty === 'true'
}

/** The media types that the router has registered for this kind of path. */
function producedBy({ verb, subresource }: Target): readonly string[] {
  if (subresource === 'log') return ['text/plain', ...accepted]
  return verb === 'list' || verb === 'watch' ? [...accepted, ...acceptedStreams] : accepted
}

function routerRefusal(produced: readonly string[]): ApiError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(', ')}`
  return new ApiError({ code: 406, reason: 'NotAcceptable', message, details: {} })
}

/** Who asks for protobuf alone is not told that he could have it: answers are JSON and YAML here. */
function serializerRefusal(media: readonly string[], clauses: readonly Clause[]): ApiError {
  const isProtobuf = (name: string): boolean => name.includes('protobuf')
  const wantsIt = clauses.some(({ subtype }) => isProtobuf(subtype))
  const given = wantsIt ? media.filter((name) => !isProtobuf(name)) : media
  const message = `only the following media types are accepted: ${given.join(', ')}`
  return new ApiError({ code: 406, reason: 'NotAcceptable', message })
}
