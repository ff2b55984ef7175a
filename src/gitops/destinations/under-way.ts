// The requests to one outside cluster: all that are under way can be ended together, and what is asked for a page is answered
// so that its reader knows who was refused.

import { setMaxListeners } from 'node:events'
import { type ApiHandler, type ResponseBody, refusal } from '#api'

export class UnderWay {
  readonly #handler: ApiHandler
  readonly #requests = new Set<AbortController>()

  constructor(handler: ApiHandler) {
    this.#handler = handler
  }

  /** Watches stay open whatever happens: they end by themselves. */
  readonly handler: ApiHandler = (request, signal) =>
    request.verb === 'watch' ? this.#handler(request, signal) : this.#ask(request, signal)

  end(reason: Error): void {
    for (const request of [...this.#requests]) request.abort(reason)
  }

  async #ask(request: Parameters<ApiHandler>[0], signal: AbortSignal): ReturnType<ApiHandler> {
    // Kinds are listed many at a time over one signal: that is no leak.
    setMaxListeners(0, signal)
    const ending = new AbortController()
    const end = (): void => ending.abort(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
    this.#requests.add(ending)
    try {
      return await this.#handler(request, ending.signal)
    } finally {
      // A log goes on being read after its head has come: it ends with whoever reads it.
      if (request.subresource !== 'log') signal.removeEventListener('abort', end)
      this.#requests.delete(ending)
    }
  }
}

/** Whoever asks by way of a page is not refused himself: his page hears what this process is told. */
export const tellingPages =
  (server: string, handler: ApiHandler): ApiHandler =>
  async (request, signal) => {
    const response = await handler(request, signal)
    if (response.status !== 401 && response.status !== 503) return response
    const message = 'the server refuses this process (401 Unauthorized)'
    const told = response.status === 401 ? message : messageIn(response.body)
    return refusal({ code: 503, reason: 'ServiceUnavailable', message: `cluster ${server}: ${told}` })
  }

const messageIn = (body: ResponseBody): string =>
  body.type === 'object' ? String(body.object['message'] ?? '') : 'it does not answer'
