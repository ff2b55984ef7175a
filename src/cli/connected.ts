// A client on the API server of the running daemon, for commands that read the cluster itself.

import { ApiError } from '#api'
import { type Client, createClient, type HttpHandler, httpHandler, readKubeconfig } from '#client'
import { type ConnectOptions, readKubeconfigFor } from './connect.ts'
import { CommandError } from './exit-code.ts'
import type { Terminal } from './terminal.ts'

/** Failures to connect become one line. */
export async function connected<T>(
  terminal: Terminal,
  options: ConnectOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { path, text } = readKubeconfigFor(terminal, options)
  let handler: HttpHandler
  try {
    handler = httpHandler(readKubeconfig(text))
  } catch (cause) {
    throw new CommandError(`${path} was not written by homeostat: name the daemon's --data-dir`, undefined, { cause })
  }
  try {
    return await work(createClient(handler, { user: '', groups: [], userAgent: 'homeostat' }))
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'ServiceUnavailable')
      throw new CommandError(`the daemon does not answer (${error.message}): is it still running?`, undefined, {
        cause: error,
      })
    throw error
  } finally {
    handler.close()
  }
}
