// Sends odd requests and looks at what becomes of them: no answer is an internal error, none takes long, nothing is logged
// as an error, and what was stored can be written back as it was read.

import fc from 'fast-check'
import type { Json } from '#objects'
import { partAt, pathsOf } from './bodies.ts'
import { type Present, requestOf, type WireRequest } from './requests.ts'
import { type FuzzServer, openServer } from './server.ts'

export interface Fault {
  /** Faults of one kind have one name. */
  readonly name: string
  readonly detail: string
  readonly request: WireRequest
}

export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  /** After so many requests another server is begun with. */
  readonly perServer?: number
}

const slowMs = 3000

export async function fuzz({ seed, requests, perServer = 1500 }: FuzzOptions): Promise<readonly Fault[]> {
  const faults: Fault[] = []
  for (let done = 0; done < requests; done += perServer) {
    const server = await openServer(seed + done)
    for (const error of server.errors()) faults.push({ name: signature(error), detail: error, request: none })
    const draws = fc.sample(
      fc.gen().map((draw) => requestOf(draw, server.present)),
      { seed: seed + done, numRuns: Math.min(perServer, requests - done) },
    )
    for (const request of draws) faults.push(...(await judge(server, request)))
    await server.close()
  }
  return faults
}

const none: WireRequest = { method: '', path: '', headers: {} }

async function judge(server: FuzzServer, request: WireRequest): Promise<readonly Fault[]> {
  const fault = (name: string, detail: string): Fault => ({ name, detail, request })
  try {
    const { status, text, ms } = await server.ask(request)
    const found = server.errors().map((error) => fault(signature(error), error))
    if (status >= 500 && found.length === 0 && !isExpected(status, text))
      found.push(fault(`answers ${status}: ${signature(messageOf(text))}`, text.slice(0, 500)))
    if (ms > slowMs) found.push(fault('takes long', `${Math.round(ms)} ms, answers ${status}`))
    if (isWrite(request) && (status === 200 || status === 201))
      found.push(...(await writtenBack(server, request, text)))
    return found
  } catch (error) {
    return [fault('gives no answer', String(error))]
  }
}

/** What a Kubernetes API server answers with these codes, too. */
const expected: readonly RegExp[] = [
  /without impersonating a user/,
  // Recorded: faults of a Binding are told as a plain error.
  /target\.(kind|name): /,
  // So are these, where Kubernetes has no reason for the refusal.
  /resourceVersion should not be set on objects to be created/,
  /Component not found: /,
  /strconv\.ParseUint: /,
  /unknown patch type: /,
  /merging lists cannot yet be specified in the patch/,
  /The order in patch list:/,
  /list element types are not identical: /,
  /does not contain declared merge key: /,
  /no kind .* is registered for version/,
  /failed to (create typed|update lock)/,
  /the server is currently unable to handle the request/,
]
const isExpected = (status: number, text: string): boolean => status === 504 || expected.some((one) => one.test(text))

const messageOf = (text: string): string => /"message":"(.{0,60})/.exec(text)?.[1] ?? text.slice(0, 60)

const isWrite = ({ method, path }: WireRequest): boolean =>
  ['POST', 'PUT', 'PATCH'].includes(method) && !path.includes('dryRun')

/** Reads what was stored and writes it again: nothing may be wrong with it, and nothing may change. */
async function writtenBack(server: FuzzServer, request: WireRequest, text: string): Promise<readonly Fault[]> {
  const own = pathOfWritten(request, text)
  if (own === undefined) return []
  const read = await server.ask({ method: 'GET', path: own, headers: {} })
  if (read.status !== 200) return []
  const headers = { 'content-type': 'application/json' }
  const { status, text: answer } = await server.ask({ method: 'PUT', path: own, headers, body: read.text })
  const logged = server.errors().map((error) => ({ name: signature(error), detail: error, request }))
  if (status !== 200) {
    const name = `cannot be written back: ${own.split('/').slice(0, -1).join('/')}: ${fieldsOf(answer)}`
    return [...logged, { name, detail: answer.slice(0, 1500), request }]
  }
  const [before, after] = [versionOf(read.text), versionOf(answer)]
  if (before === after) return logged
  return [
    ...logged,
    {
      name: `changes when it is written back: ${own.split('/').slice(0, -1).join('/')}`,
      detail: changesOf(JSON.parse(read.text), JSON.parse(answer)).join('\n  '),
      request,
    },
  ]
}

function changesOf(before: Json, after: Json): readonly string[] {
  const paths = new Map([...pathsOf(before), ...pathsOf(after)].map((path) => [path.join('.'), path]))
  return [...paths].flatMap(([name, path]) => {
    const [was, is] = [partAt(before, path), partAt(after, path)].map((part) => JSON.stringify(part) ?? 'absent')
    return was === is || [was, is].every((text) => text?.startsWith('{')) ? [] : [`${name}: ${was} became ${is}`]
  })
}

function pathOfWritten({ method, path }: WireRequest, text: string): string | undefined {
  const [own = ''] = path.split('?')
  if (/\/(status|scale|eviction|binding|token|resize|ephemeralcontainers|approval|finalize|log|x)$/.test(own))
    return undefined
  if (method !== 'POST') return own
  try {
    const name = JSON.parse(text)?.metadata?.name
    return typeof name === 'string' && name !== '' ? `${own}/${encodeURIComponent(name)}` : undefined
  } catch {
    return undefined
  }
}

const versionOf = (text: string): unknown =>
  (JSON.parse(text) as { metadata?: { resourceVersion?: Json } }).metadata?.resourceVersion

const fieldsOf = (answer: string): string => {
  const causes = (JSON.parse(answer) as { details?: { causes?: { field?: string }[] } }).details?.causes ?? []
  return [...new Set(causes.map(({ field = '' }) => field.replace(/\[[^\]]*\]/g, '[]')))].slice(0, 3).join(', ')
}

/** The message without values, and where it was thrown. */
function signature(error: string): string {
  const [first = '', ...stack] = error.split('\n')
  const frames = stack.filter((line) => line.includes('/src/')).slice(0, 2)
  const at = frames.map((line) => /\/src\/([^)]*)/.exec(line)?.[1] ?? '').join(' < ')
  return `${first.replace(/"[^"]*"|'[^']*'/g, '…').slice(0, 150)} at ${at}`
}

/** One example of each kind of fault, with how often it came. */
export function report(faults: readonly Fault[]): readonly string[] {
  const byName = Map.groupBy === undefined ? group(faults) : Map.groupBy(faults, ({ name }) => name)
  return [...byName].map(([name, all]) => {
    const [first] = all.toSorted((a, b) => sizeOf(a) - sizeOf(b))
    const { method = '', path = '', headers = {}, body = '' } = first?.request ?? {}
    return `${all.length} x ${name}\n  ${method} ${path.slice(0, 300)}\n  ${JSON.stringify(headers)}\n  ${body.toString().slice(0, 1500)}\n  ${first?.detail.slice(0, 6000)}`
  })
}

const sizeOf = ({ request }: Fault): number => (request.body ?? '').length + request.path.length

function group(faults: readonly Fault[]): ReadonlyMap<string, readonly Fault[]> {
  const found = new Map<string, Fault[]>()
  for (const fault of faults) found.set(fault.name, [...(found.get(fault.name) ?? []), fault])
  return found
}

export type { Present }
