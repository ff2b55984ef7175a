// Waiting for an application over the REST interface: asks again until a condition holds or the time is over, and shows
// what it is waiting for.

import { setTimeout as delay } from 'node:timers/promises'
import type { DaemonApi } from '../../connect.ts'
import { CommandError } from '../../exit-code.ts'
import type { Terminal } from '../../terminal.ts'
import { type App, getApp, healthOf, syncStatusOf } from './application.ts'

const pollEveryMs = 250

export interface WaitOptions {
  readonly timeoutSeconds: number
  readonly until: (app: App) => boolean
}

const describe = (app: App): string => {
  const operation = app.status?.operationState
  const running = operation?.phase === 'Running' ? `, operation Running: ${operation.message ?? ''}` : ''
  return `${app.metadata.name}: ${syncStatusOf(app)}, ${healthOf(app)}${running}`
}

/** Resolves with the application once `until` holds; fails after `timeoutSeconds` (0: waits for ever). */
export async function waitForApp(terminal: Terminal, api: DaemonApi, name: string, options: WaitOptions): Promise<App> {
  const endsAt = options.timeoutSeconds === 0 ? Number.POSITIVE_INFINITY : Date.now() + options.timeoutSeconds * 1000
  let shown = ''
  for (;;) {
    const app = await getApp(api, name)
    if (options.until(app)) return app
    const line = describe(app)
    if (line !== shown) terminal.err(line)
    shown = line
    if (Date.now() >= endsAt) throw new CommandError(`timed out after ${options.timeoutSeconds} s waiting for ${line}`)
    await delay(pollEveryMs)
  }
}

interface Begun {
  readonly name: string
  readonly verb: 'sync' | 'rollback'
  readonly request: object
}

/** Asks for an operation; one that runs already is told with what can be done about it. */
export async function beginOperation(api: DaemonApi, { name, verb, request }: Begun): Promise<void> {
  try {
    await api.call('POST', `/applications/${encodeURIComponent(name)}/${verb}`, request)
  } catch (cause) {
    if (!(cause instanceof CommandError) || !cause.message.startsWith('another operation')) throw cause
    const message = (await getApp(api, name)).status?.operationState?.message ?? ''
    throw new CommandError(
      `${name}: ${cause.message}${message === '' ? '' : ` (${message})`}; wait for its end with "homeostat app wait ${name} --operation", or end it with "homeostat app terminate-op ${name}"`,
      undefined,
      { cause },
    )
  }
}

/** The operation that was just asked for has ended: it stands in the Application until then. */
const isFree = (app: App): boolean =>
  app.operation === undefined && !['Running', 'Terminating'].includes(app.status?.operationState?.phase ?? '')

/** The application after the operation that was just asked for, compared anew with what the operation left behind. */
export async function waitForOperation(
  terminal: Terminal,
  api: DaemonApi,
  { name, timeoutSeconds }: { readonly name: string; readonly timeoutSeconds: number },
): Promise<App> {
  await waitForApp(terminal, api, name, { timeoutSeconds, until: isFree })
  return getApp(api, name, 'normal')
}

/** The seconds of `--timeout`. */
export function parseSeconds(value: string): number {
  const seconds = Number(value)
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new CommandError(`--timeout ${value}: give seconds, 0 for no limit`, 2)
  return seconds
}
