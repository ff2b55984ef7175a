// How an outside cluster is spoken to. Requests are work outside of the world; watches stay open, in real time.

import type { ApiHandler } from '#api'
import { type Connection, httpHandler } from '#client'
import type { Clock } from '#world'

export interface Line {
  readonly handler: ApiHandler
  close(): void
}

/** Throws for a connection that cannot be used. */
export type Connect = (connection: Connection) => Line

/** Longer than an admission webhook may take. */
const silenceMs = 35_000

export const connectByHttp =
  (clock: Clock): Connect =>
  (connection) => {
    const http = httpHandler(connection, { silenceMs })
    return {
      handler: (request, signal) =>
        request.verb === 'watch'
          ? http(request, signal)
          : clock.outside('outside cluster', () => http(request, signal)),
      close: () => http.close(),
    }
  }
