// Logs of an application's pods as a stream of entries: one named pod, or all pods below a resource. Reads the log
// subresource with time stamps, line by line.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Pod } from '#kinds'
import { type Context, pathParameter, policyNameOf, queryOf, readApplication } from './context.ts'
import { type Place, placeOf } from './place.ts'
import { readTree } from './resources.ts'
import { RestError } from './rest-error.ts'
import { sendStream, streamSignal } from './stream.ts'

interface PodRef {
  readonly namespace: string
  readonly name: string
}

export interface LogEntry {
  readonly content: string
  readonly timeStampStr: string
  readonly timeStamp?: string
  readonly last: boolean
  readonly podName: string
}

export function logRoutes(context: Context): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const named = await podsOf(context, request)
    return sendStream(request, reply, entries(named, request, streamSignal(reply, context.closing)))
  }
  context.server.get('/api/v1/applications/:name/logs', answer)
  context.server.get('/api/v1/applications/:name/pods/:podName/logs', answer)
}

interface NamedPods {
  /** Where they are. */
  readonly place: Place
  readonly pods: readonly PodRef[]
}

async function podsOf(context: Context, request: FastifyRequest): Promise<NamedPods> {
  const caller = await context.access.callerOf(request)
  const application = await readApplication(context, request, { caller })
  await caller.must({ resource: 'logs', action: 'get', object: policyNameOf(application) })
  const named = pathParameter(request, 'podName') || queryOf(request, 'podName')
  const { nodes } = await readTree(context, application)
  const place = placeOf(context, application)
  const pods = nodes.filter(({ kind, group }) => kind === 'Pod' && group === '')
  if (named !== undefined) {
    const namespace = queryOf(request, 'namespace')
    const found = pods.filter((pod) => pod.name === named && (namespace === undefined || pod.namespace === namespace))
    if (found.length === 0)
      throw new RestError('notFound', `pod ${named} not found as part of application ${application.metadata.name}`)
    return { place, pods: found }
  }
  const [kind, name, group, namespace] = ['kind', 'resourceName', 'group', 'namespace'].map((each) =>
    queryOf(request, each),
  )
  if (kind === undefined && name === undefined) return { place, pods }
  const below = new Set<string>()
  for (const node of nodes) {
    const isRoot =
      (kind === undefined || node.kind === kind) &&
      (name === undefined || node.name === name) &&
      (group === undefined || node.group === group) &&
      (namespace === undefined || node.namespace === namespace)
    const isBelow = node.parentRefs?.some(({ uid }) => uid !== undefined && below.has(uid)) === true
    if ((isRoot || isBelow) && node.uid !== undefined) below.add(node.uid)
  }
  return { place, pods: pods.filter(({ uid }) => uid !== undefined && below.has(uid)) }
}

async function* entries(
  { place, pods }: NamedPods,
  request: FastifyRequest,
  signal: AbortSignal,
): AsyncGenerator<LogEntry> {
  const filter = queryOf(request, 'filter')
  const until = queryOf(request, 'untilTime')
  const streams = pods.map((pod) => podEntries({ place, pod }, request, signal))
  for await (const entry of merged(streams)) {
    if (filter !== undefined && !matches(entry.content, filter)) continue
    if (until !== undefined && entry.timeStampStr > until) break
    yield entry
  }
  yield { content: '', timeStampStr: '', last: true, podName: '' }
}

/** `!text` leaves out lines that contain the text. */
const matches = (content: string, filter: string): boolean =>
  filter.startsWith('!') ? !content.includes(filter.slice(1)) : content.includes(filter)

const passedOn = ['container', 'follow', 'previous', 'sinceSeconds', 'tailLines'] as const

async function* podEntries(
  { place, pod }: { readonly place: Place; readonly pod: PodRef },
  request: FastifyRequest,
  signal: AbortSignal,
): AsyncGenerator<LogEntry> {
  const query: Record<string, string> = { timestamps: 'true' }
  for (const name of passedOn) {
    const value = queryOf(request, name)
    if (value !== undefined && !(name === 'sinceSeconds' && value === '0')) query[name] = value
  }
  const sinceTime = sinceTimeOf(request)
  if (sinceTime !== undefined) query['sinceTime'] = sinceTime
  const { body } = await place.client.request({ verb: 'get', resource: Pod, ...pod, subresource: 'log', query }, signal)
  const chunks = body.type === 'bytes' ? body.chunks : body.type === 'text' ? [body.text] : []
  for await (const line of linesOf(chunks)) yield entryOf(line, pod.name)
}

/** The time in two numbers, or (as kubectl has it) as a text. */
function sinceTimeOf(request: FastifyRequest): string | undefined {
  const seconds = queryOf(request, 'sinceTime.seconds')
  if (seconds === undefined) return queryOf(request, 'sinceTime')
  const milliseconds = Number(seconds) * 1000 + Math.floor(Number(queryOf(request, 'sinceTime.nanos') ?? 0) / 1e6)
  if (!Number.isFinite(milliseconds) || Math.abs(milliseconds) > latestTimeMs)
    throw new RestError('invalidArgument', `sinceTime.seconds must be seconds since 1970, not ${seconds}`)
  return new Date(milliseconds).toISOString()
}

/** Of JavaScript's Date. */
const latestTimeMs = 8.64e15

async function* linesOf(chunks: AsyncIterable<Uint8Array | string> | Iterable<string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

export function entryOf(line: string, podName: string): LogEntry {
  const match = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/s.exec(line)
  if (match === null) return { content: line, timeStampStr: '', last: false, podName }
  const [, stamp = '', content = ''] = match
  return { content, timeStampStr: stamp, timeStamp: stamp, last: false, podName }
}

/** Whatever comes next from any of the streams; ends when all have. */
async function* merged<T>(streams: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const pending = new Map(streams.map((stream) => [stream, next(stream)]))
  try {
    while (pending.size > 0) {
      const { stream, result } = await Promise.race(pending.values())
      if (result.done === true) {
        pending.delete(stream)
        continue
      }
      pending.set(stream, next(stream))
      yield result.value
    }
  } finally {
    for (const stream of pending.keys()) void stream.return(undefined)
  }
}

const next = async <T>(stream: AsyncGenerator<T>) => ({ stream, result: await stream.next() })
