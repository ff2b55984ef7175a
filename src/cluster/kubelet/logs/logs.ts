// The log of a container, made from its workload: what the workload says it writes, and for servers a line every few
// seconds. Always the same for the same container and moment.

import { ApiError } from '#api'
import type { ContainerStatus, Pod } from '#kinds'
import { formatMicroTime, parseTime } from '#objects'
import type { World } from '#world'
import { containersOf } from '../containers/containers.ts'
import { digestOf } from '../ground/digest.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { type LogLine, runOf, type Workloads } from '../workload/workload.ts'
import { type Spoken, spokenBy } from './spoken.ts'

export interface LogRequest {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly sinceSeconds?: number
  readonly sinceTime?: string
  readonly tailLines?: number
  readonly limitBytes?: number
}

export interface LogSurroundings {
  readonly workloads: Workloads
  readonly signal: AbortSignal
  readonly world?: World
  /** The pod as its node runs it, if it does. */
  readonly run?: PodRun | undefined
}

interface Line {
  readonly at: number
  readonly text: string
}

interface Life {
  readonly id: string
  readonly attempt: number
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly exitCode?: number
}

/** By SIGKILL and SIGTERM. */
const killedCodes = [137, 143]
/** More than commands take that end by themselves before their container is said to have ended. */
const lateMs = 3_600_000

const refused = (message: string): ApiError => new ApiError({ code: 400, reason: 'BadRequest', message })

function statusOf(pod: Pod, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {}
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name,
  )
}

function ended(state: ContainerStatus['state'], attempt: number): Life | undefined {
  const { terminated } = state ?? {}
  if (terminated?.containerID === undefined) return undefined
  const startedAt = parseTime(terminated.startedAt) ?? 0
  const endedAt = parseTime(terminated.finishedAt) ?? startedAt
  return { id: terminated.containerID, attempt, startedAt, endedAt, exitCode: terminated.exitCode }
}

const waitingTexts: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
}

/** Which life of the container the log is about; throws what kubectl shall print when there is none. */
function lifeOf(pod: Pod, { container, previous }: LogRequest): Life {
  const what = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name ?? '')}`
  const status = statusOf(pod, container)
  if (status === undefined) throw refused(`${what} is not available`)
  const { state, lastState, restartCount, containerID = '' } = status
  if (previous) {
    const life = ended(lastState, Math.max(0, restartCount - 1))
    if (life === undefined) throw refused(`previous terminated ${what} not found`)
    return life
  }
  if (state?.running !== undefined) {
    const startedAt = parseTime(state.running.startedAt) ?? 0
    return { id: containerID, attempt: restartCount, startedAt, endedAt: undefined }
  }
  const life = ended(state, restartCount) ?? ended(lastState, restartCount)
  if (life !== undefined) return life
  const reason = state?.waiting?.reason
  if (reason === undefined) throw refused(`${what} is waiting to start - no logs yet`)
  throw refused(`${what} is waiting to start: ${waitingTexts[reason] ?? reason}`)
}

const everyMs = 7000
const share = (text: string): number => Number.parseInt(digestOf(text).slice(7, 15), 16) / 2 ** 32

/** What a server writes: one line for each stretch of seven seconds, at a moment within it. */
function serverLine(life: Life, name: string, index: number): Line {
  const draw = share(`${life.id} ${index}`)
  const at = life.startedAt + index * everyMs + Math.floor(draw * (everyMs - 1000)) + 1000
  const took = Math.round(1 + 40 * share(`${index} ${life.id}`))
  const path = ['/', '/healthz', '/api/items', '/api/items/42', '/static/app.js'][Math.floor(draw * 5)] ?? '/'
  return {
    at,
    text: `level=info component=${name} msg="request handled" method=GET path=${path} status=200 duration=${took}ms`,
  }
}

class Log {
  readonly #life: Life
  readonly #name: string
  readonly #head: readonly Line[]
  readonly #serves: boolean
  readonly #lines: readonly LogLine[]
  readonly #spoken: Spoken | undefined
  readonly #run: PodRun | undefined

  constructor(pod: Pod, request: LogRequest, { workloads, run, world }: LogSurroundings) {
    this.#life = lifeOf(pod, request)
    this.#run = run
    this.#spoken =
      run === undefined || world === undefined ? undefined : spokenBy({ run, world }, request.container, this.#life)
    this.#name = request.container
    const workload = workloads.container(pod, request.container)
    const planned = runOf(workload, this.#life.attempt)
    const written = (planned.logTail ?? '').split('\n').filter((line, i, all) => i < all.length - 1 || line !== '')
    const isMain = containersOf(pod.spec).some(({ spec, kind }) => spec.name === request.container && kind === 'main')
    this.#lines = workload.logs ?? []
    this.#serves =
      planned.forever === true && written.length === 0 && this.#lines.length === 0 && this.#spoken === undefined
    const starting = this.#serves && isMain ? [`level=info component=${this.#name} msg="starting"`] : []
    this.#head = [...starting, ...written].map((text) => ({ at: this.#life.startedAt, text }))
  }

  /** Before lines up to this moment are asked for. */
  async upTo(moment: number): Promise<void> {
    const { endedAt } = this
    const exitCode = this.#life.exitCode ?? this.#run?.record(this.#life.id)?.exitCode ?? 0
    // How long a script takes is guessed from its text; whatever it still has to say belongs to its end.
    const isWhole = endedAt !== undefined && moment >= endedAt && !killedCodes.includes(exitCode)
    await this.#spoken?.upTo(isWhole ? endedAt + lateMs : Math.min(moment, endedAt ?? moment))
  }

  get endedAt(): number | undefined {
    const record = this.#run?.record(this.#life.id)
    return this.#life.endedAt ?? (record?.state === 'exited' ? record.finishedAt : undefined)
  }

  /** Aborts when the container ends. */
  get whileItRuns(): AbortSignal {
    const ended = new AbortController()
    this.#run?.exitOf(this.#life.id).whenOpen(() => ended.abort())
    return ended.signal
  }

  /** Lines later than `after`, up to `until`. */
  between(after: number, until: number): readonly Line[] {
    const end = Math.min(until, this.endedAt ?? until)
    // A script that would have gone on is cut off.
    const last = this.#spoken?.isOver === true ? this.endedAt : undefined
    const said = this.#spoken?.lines.map(({ at, text }) => ({ at: Math.min(at, last ?? at), text })) ?? this.#head
    const head = said.filter(({ at }) => at > after && at <= end)
    const own = this.#lines.flatMap((line) => this.#momentsOf(line, after, end))
    const lines = own.length === 0 ? head : [...head, ...own].sort((a, b) => a.at - b.at)
    if (!this.#serves) return lines
    const first = Math.max(0, Math.floor((after - this.#life.startedAt) / everyMs) - 1)
    for (let index = first; this.#life.startedAt + index * everyMs <= end; index += 1) {
      const line = serverLine(this.#life, this.#name, index)
      if (line.at > after && line.at <= end) lines.push(line)
    }
    return lines
  }

  #momentsOf({ afterSeconds, everySeconds, text }: LogLine, after: number, end: number): readonly Line[] {
    const first = this.#life.startedAt + afterSeconds * 1000
    const stepMs = (everySeconds ?? 0) * 1000
    if (stepMs <= 0) return first > after && first <= end ? [{ at: first, text }] : []
    const lines: Line[] = []
    const skipped = Math.max(0, Math.floor((after - first) / stepMs) + 1)
    for (let at = first + skipped * stepMs; at <= end; at += stepMs) lines.push({ at, text })
    return lines
  }

  nextAfter(now: number): number {
    if (this.#spoken !== undefined) return Math.max(this.#spoken.goesOnAt ?? now + everyMs, now)
    const repeats = this.#lines.some(({ everySeconds = 0 }) => everySeconds > 0)
    return this.#serves || repeats ? (this.between(now, now + 3 * everyMs)[0]?.at ?? now + everyMs) : now + everyMs
  }
}

/** How long a long-running log reaches back. */
const longestMs = 3_600_000

/** Throws at once where there is no such log: whoever has begun to answer can no longer say that it is not there. */
export function containerLog(pod: Pod, request: LogRequest, around: LogSurroundings): AsyncIterable<string> {
  const { world, signal } = around
  if (world === undefined) throw refused('the kubelet has not started yet')
  return linesOf(new Log(pod, request, around), request, { signal, clock: world.clock })
}

async function* linesOf(
  log: Log,
  request: LogRequest,
  { clock, signal }: Pick<LogSurroundings, 'signal'> & Pick<World, 'clock'>,
): AsyncIterable<string> {
  let seen = clock.now()
  const since =
    parseTime(request.sinceTime) ??
    (request.sinceSeconds === undefined ? undefined : seen - request.sinceSeconds * 1000)
  await log.upTo(seen)
  const all = log.between(since ?? seen - longestMs, seen)
  const shown = request.tailLines === undefined ? all : all.slice(Math.max(0, all.length - request.tailLines))
  let left = request.limitBytes ?? Number.POSITIVE_INFINITY
  const print = (lines: readonly Line[]): string => {
    const text = lines
      .map(({ at, text: line }) => `${request.timestamps ? `${formatMicroTime(at)} ` : ''}${line}\n`)
      .join('')
    const cut = text.length <= left ? text : text.slice(0, left)
    left -= cut.length
    return cut
  }
  const first = print(shown)
  if (first !== '') yield first
  const running = AbortSignal.any([signal, log.whileItRuns])
  while (request.follow && left > 0) {
    const isLast = log.endedAt !== undefined
    // Woken by the end of the container, the last lines are still to come.
    if (!isLast) await clock.sleep(Math.max(1, log.nextAfter(seen) - clock.now()), running).catch(() => {})
    if (signal.aborted) return
    const now = clock.now()
    await log.upTo(now)
    const text = print(log.between(seen, now))
    seen = now
    if (text !== '') yield text
    if (isLast) return
  }
}
