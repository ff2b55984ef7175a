// The Kubernetes wire: an HTTP request becomes an ApiRequest, the ApiResponse becomes bytes. Here: how many come in at a time,
// and how all of them end. What requests mean is the API server's business.

import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '#api'
import { bodyBytesMax } from './body.ts'
import type { Upgrade } from './connection.ts'
import type { DoorLimits, KubeDoorOptions } from './door-options.ts'
import { stalledMs } from './stream.ts'
import { textOf, Visit } from './visit.ts'
import type { WireRequest, WireResponse } from './wire.ts'

export interface KubeDoor {
  readonly listener: (request: WireRequest, response: WireResponse) => void
  /** Takes requests that ask for another protocol on their connection. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Ends the watches and refuses what comes later, so that the server can be closed. */
  close(): void
  /** Requests in progress, watches among them. */
  readonly active: number
}

const defaultLimits: DoorLimits = { bodyBytes: bodyBytesMax, stalledMs, active: 4000, requestMs: 60_000 }

export function createKubeDoor(options: KubeDoorOptions): KubeDoor {
  const limits = { ...defaultLimits, ...options.limits }
  const open = new Set<AbortController>()
  const listener = async (request: WireRequest, response: WireResponse, upgrade?: Upgrade): Promise<void> => {
    const abort = new AbortController()
    open.add(abort)
    response.once('close', () => abort.abort(new Error('the client closed the connection')))
    try {
      await new Visit({ options, limits, request, response, abort, upgrade }).serve(open.size > limits.active)
    } catch (error) {
      options.log.error('an answer could not be written', { error: textOf(error), url: request.url })
      response.destroy()
    }
    open.delete(abort)
  }
  return {
    listener: (request, response) => void listener(request, response),
    upgrade(request, socket, head) {
      const response = responseOn(request, socket)
      void listener(request, response, { request, response, socket, head })
    },
    close: () => {
      const reason = new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'the server is shutting down' })
      for (const abort of open) abort.abort(reason)
    },
    get active() {
      return open.size
    },
  }
}

/** For answers in plain HTTP on a connection that was to change its protocol; it ends with them. */
function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request)
  socket.on('error', () => socket.destroy())
  response.assignSocket(socket as Socket)
  response.shouldKeepAlive = false
  response.once('finish', () => socket.end())
  return response
}
