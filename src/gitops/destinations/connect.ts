// How an outside cluster is spoken to. Requests are work outside of the world; watches stay open, in real time. Proxies are
// those that the connection names, or else, as for kubectl and Argo CD, those of the environment.

import type { ApiHandler } from '#api'
import { type Connection, httpHandler } from '#client'
import { proxiesOf, proxyFor } from '#gitops/web'
import type { Clock } from '#world'
import { ExecSignIn } from './exec-sign-in.ts'

export interface Line {
  readonly handler: ApiHandler
  /** What must not be told to anybody, beside what the connection holds. */
  readonly secrets?: () => readonly string[]
  close(): void
}

/** Throws for a connection that cannot be used. */
export type Connect = (connection: Connection) => Line

export interface ConnectOptions {
  readonly clock: Clock
  /** Of whoever started this process: proxies, and what commands that sign in see. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Real time, by which credentials end. */
  readonly now: () => number
}

/** Longer than an admission webhook may take. */
const silenceMs = 35_000

export const connectByHttp =
  ({ clock, environment, now }: ConnectOptions): Connect =>
  (connection) => {
    const { exec, proxyUrl, server } = connection
    const signIn = exec === undefined ? undefined : new ExecSignIn({ exec, environment, now })
    const proxy = proxyUrl === undefined ? proxyFor(new URL(server), proxiesOf(environment)) : new URL(proxyUrl)
    const http = httpHandler(connection, { silenceMs, proxy, signIn })
    return {
      handler: (request, signal) =>
        request.verb === 'watch'
          ? http(request, signal)
          : clock.outside('outside cluster', () => http(request, signal)),
      secrets: () => signIn?.secrets ?? [],
      close: () => http.close(),
    }
  }
