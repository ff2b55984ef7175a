// `homeostat app delete NAME`: deletes an application, with its resources unless told otherwise.

import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Invocation } from '../../command.ts'
import { connect, type DaemonApi } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import type { App } from './application.ts'
import { parseSeconds } from './waiting.ts'

async function untilGone(api: DaemonApi, name: string, timeoutSeconds: number): Promise<void> {
  const endsAt = timeoutSeconds === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutSeconds * 1000
  for (;;) {
    const { items } = await api.call<{ items: readonly App[] | null }>('GET', '/applications')
    const left = items?.find((item) => item.metadata.name === name)
    if (left === undefined) return
    if (Date.now() >= endsAt)
      throw new CommandError(`timed out after ${timeoutSeconds} s: ${name} still has resources to delete`)
    await delay(250)
  }
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
        await api.call('DELETE', `/applications/${encodeURIComponent(name)}?cascade=${options.cascade}`)
        if (!options.async) await untilGone(api, name, timeoutSeconds)
        terminal.out(`application ${name} deleted`)
        return exitCode.ok
      }),
    )
}
