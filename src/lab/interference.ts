// What goes wrong between the loops and the API server: a server that is away, watches that hang without an error, a loop
// that dies right after one of its writes. People's own commands go through it too, as theirs would.

import { type ApiHandler, type ApiRequest, type ApiResponse, refusal, type WatchEvent, type WatchStream } from '#api'
import type { Machine } from '#machine'

interface OpenWatch {
  readonly resource: string
  readonly cut: AbortController
  hung: boolean
}

interface Crash {
  /** What dies; without a loop it is the whole machine. */
  readonly loop?: string
  readonly ofUser: (user: string) => boolean
  left: number
}

const writes: readonly string[] = ['create', 'update', 'patch', 'delete']

export class Interference {
  #down = false
  #crashes: Crash[] = []
  readonly #watches = new Set<OpenWatch>()
  readonly #machine: () => Machine
  readonly #note: (line: string) => void

  constructor(machine: () => Machine, note: (line: string) => void) {
    this.#machine = machine
    this.#note = note
  }

  readonly wrap =
    (next: ApiHandler): ApiHandler =>
    async (request, signal) => {
      if (this.#down) return unavailable
      if (request.verb === 'watch') return this.#watch(next, request, signal)
      const response = await next(request, signal)
      this.#count(request, response)
      return response
    }

  /** The server goes away: open watches end, requests fail. */
  stopServer(): void {
    this.#down = true
    for (const { cut } of this.#watches) cut.abort()
  }

  startServer(): void {
    this.#down = false
  }

  /** Open watches of this resource never hear anything again, and do not know it. Answers how many there are. */
  hangWatches(resource: string): number {
    const open = [...this.#watches].filter((watch) => watch.resource === resource)
    for (const watch of open) watch.hung = true
    return open.length
  }

  /** The loop dies when the server has taken its `count`th write from now, before it hears so. */
  crashAfter(loop: string, count: number): void {
    const definition = this.#machine().runtime.loops.find(({ name }) => name === loop)
    if (definition === undefined) return
    this.#crashes.push({ loop, ofUser: (user) => user === definition.user, left: count })
  }

  /** All that runs dies when the server has taken the `count`th write of any loop from now. */
  crashMachineAfter(count: number): void {
    const users = new Set(this.#machine().runtime.loops.map(({ user }) => user))
    this.#crashes.push({ ofUser: (user) => users.has(user), left: count })
  }

  async #watch(next: ApiHandler, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const cut = new AbortController()
    const response = await next(request, AbortSignal.any([signal, cut.signal]))
    if (response.body.type !== 'watch') return response
    const watch: OpenWatch = { resource: request.resource?.resource ?? '', cut, hung: false }
    return { ...response, body: { type: 'watch', events: this.#passOn(response.body.events, watch, signal) } }
  }

  async *#passOn(events: WatchStream, watch: OpenWatch, signal: AbortSignal): AsyncGenerator<readonly WatchEvent[]> {
    this.#watches.add(watch)
    try {
      for await (const batch of events) if (!watch.hung) yield batch
      // Nor is the end of the stream heard: only who opened the watch can give it up.
      if (watch.hung && !signal.aborted && !watch.cut.signal.aborted)
        await new Promise((resolve) => {
          for (const one of [signal, watch.cut.signal]) one.addEventListener('abort', resolve, { once: true })
        })
    } finally {
      this.#watches.delete(watch)
    }
  }

  #count({ verb, caller, resource, subresource, name }: ApiRequest, { status, body }: ApiResponse): void {
    if (this.#crashes.length === 0 || status >= 300 || !writes.includes(verb) || resource?.resource === 'events') return
    const crash = this.#crashes.find(({ ofUser }) => ofUser(caller.user))
    if (crash === undefined) return
    crash.left -= 1
    if (crash.left > 0) return
    this.#crashes = this.#crashes.filter((other) => other !== crash)
    const written = name ?? (body.type === 'object' ? body.object.metadata.name : undefined) ?? ''
    const part = subresource === undefined ? '' : ` (${subresource})`
    // Which of several pods comes first is chance.
    const what = resource?.resource === 'pods' ? 'pods' : `${resource?.resource ?? ''} ${written}`
    const who = crash.loop === undefined ? 'the machine' : `the ${crash.loop} loop`
    this.#note(`${who} died after: ${verb} ${what}${part}`)
    if (crash.loop === undefined) this.#machine().restart()
    else this.#machine().runtime.restartLoop(crash.loop)
  }
}

const unavailable = refusal({
  code: 503,
  reason: 'ServiceUnavailable',
  message: 'the server is currently unable to handle the request',
})
