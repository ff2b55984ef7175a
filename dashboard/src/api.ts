// The daemon's REST interface and its streams (newline-delimited JSON). Knows no page.

import { useEffect, useRef, useState } from 'react'

const base = new URL('api/v1', document.baseURI).pathname

export class RequestError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function failure(response: Response): Promise<RequestError> {
  const text = await response.text()
  try {
    const { message } = JSON.parse(text) as { message?: string }
    return new RequestError(response.status, message ?? text)
  } catch {
    return new RequestError(response.status, text === '' ? `HTTP ${response.status}` : text)
  }
}

/** One request; its JSON answer, or a RequestError with the server's message. */
export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(base + path, {
    method,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    // The browser does not say more than that it could not.
    throw new RequestError(0, 'The daemon does not answer: is it still running? The page goes on when it is back.')
  })
  if (!response.ok) throw await failure(response)
  return (await response.json()) as T
}

interface Listener<T> {
  readonly onResult: (result: T) => void
  /** The server has begun to answer. */
  readonly onOpen: () => void
}

/** Reads a stream of `{"result": …}` lines until it ends or the signal aborts. */
async function readStream<T>(path: string, signal: AbortSignal, { onOpen, onResult }: Listener<T>): Promise<void> {
  const response = await fetch(base + path, { signal, credentials: 'same-origin' })
  if (!response.ok || response.body === null) throw await failure(response)
  onOpen()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.trim() === '') continue
      const message = JSON.parse(line) as { result?: T; error?: { message?: string } }
      if (message.error !== undefined) throw new RequestError(500, message.error.message ?? 'the stream failed')
      if (message.result !== undefined) onResult(message.result)
    }
  }
}

const retryMs = 1000

/** Keeps a stream open while the component is shown, opening it again when it ends. Says whether it is open. */
export function useStream<T>(path: string | undefined, onResult: (result: T) => void, onOpen?: () => void): boolean {
  const [live, setLive] = useState(false)
  const handlers = useRef({ onResult, onOpen })
  handlers.current = { onResult, onOpen }
  useEffect(() => {
    if (path === undefined) return
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = (): void => {
      readStream<T>(path, controller.signal, {
        onOpen() {
          handlers.current.onOpen?.()
          setLive(true)
        },
        onResult: (result) => handlers.current.onResult(result),
      })
        .catch(() => undefined)
        .finally(() => {
          if (controller.signal.aborted) return
          setLive(false)
          timer = setTimeout(open, retryMs)
        })
    }
    open()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [path])
  return live
}

export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: Error | undefined
  readonly reload: () => void
}

/** Loads a path, again whenever `version` changes or every `everyMs`; keeps the last good answer while an error lasts. */
export function useLoaded<T>(path: string | undefined, version: unknown = 0, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ path?: string; value?: T; error?: Error }>({})
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` and `round` only say that it is time to load again.
  useEffect(() => {
    if (path === undefined) return
    let stale = false
    const load = (): void => {
      call<T>('GET', path).then(
        (value) => stale || setState({ path, value }),
        (error: Error) =>
          stale ||
          setState((last) => ({
            path,
            error,
            ...(last.path === path && last.value !== undefined ? { value: last.value } : {}),
          })),
      )
    }
    load()
    const timer = everyMs === undefined ? undefined : setInterval(load, everyMs)
    return () => {
      stale = true
      clearInterval(timer)
    }
  }, [path, version, round, everyMs])
  const current = state.path === path ? state : {}
  return { value: current.value, error: current.error, reload: () => setRound((n) => n + 1) }
}
