// `homeostat app delete NAME`: deletes an application, with its resources unless told otherwise.

import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Invocation } from '../../command.ts'
import { connect, type DaemonApi } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import type { App } from './application.ts'
import { parseSeconds } from './waiting.ts'

const trackingAnnotation = 'argocd.argoproj.io/tracking-id'

const find = async (api: DaemonApi, name: string): Promise<App | undefined> => {
  const { items } = await api.call<{ items: readonly App[] | null }>('GET', '/applications')
  return items?.find((item) => item.metadata.name === name)
}

const pollEveryMs = 250
/** Whoever makes an application makes it anew within so many looks, if at all. */
const looksForAnother = 8

/** Another application of the name is no part of the one that was deleted: something has made it anew. */
async function untilGone(api: DaemonApi, app: App, timeoutSeconds: number): Promise<App | undefined> {
  const { name, uid } = app.metadata
  const endsAt = timeoutSeconds === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutSeconds * 1000
  let left = await find(api, name)
  for (; left?.metadata.uid === uid; left = await find(api, name)) {
    if (Date.now() >= endsAt)
      throw new CommandError(`timed out after ${timeoutSeconds} s: ${name} still has resources to delete`)
    await delay(pollEveryMs)
  }
  if (makerOf(app) === undefined) return left
  for (let looks = 0; left === undefined && looks < looksForAnother; looks += 1) {
    await delay(pollEveryMs)
    left = await find(api, name)
  }
  return left
}

/** Who makes it, as far as can be seen. */
function makerOf({ metadata: { annotations, ownerReferences } }: App): string | undefined {
  const [set] = ownerReferences ?? []
  if (set !== undefined) return `${set.kind} ${set.name} makes it`
  const tracker = annotations?.[trackingAnnotation]?.split(':')[0]
  return tracker === undefined ? undefined : `application ${tracker} syncs it from git`
}

export function addDelete(app: Command, { terminal, action }: Invocation): void {
  app
    .command('delete <name>')
    .description('delete an application and, unless --no-cascade, everything that it synced')
    .option('--no-cascade', 'leave its resources in the cluster')
    .option('--async', 'do not wait until it is gone')
    .option('--timeout <seconds>', 'give up waiting after this time; 0 for no limit', '0')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (name: string, options: { cascade: boolean; async?: true; timeout: string; dataDir?: string }) => {
        const timeoutSeconds = parseSeconds(options.timeout)
        const api = connect(terminal, options)
        const app = await find(api, name)
        await api.call('DELETE', `/applications/${encodeURIComponent(name)}?cascade=${options.cascade}`)
        const anew = options.async || app === undefined ? undefined : await untilGone(api, app, timeoutSeconds)
        terminal.out(`application ${name} deleted`)
        if (anew === undefined) return exitCode.ok
        const maker = makerOf(anew) ?? 'something has made it anew'
        throw new CommandError(`${name} is there again: ${maker}, take it out there`, exitCode.differs)
      }),
    )
}
