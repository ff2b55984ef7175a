// `homeostat app wait NAME`: until it is Synced and Healthy, or what the options say.

import type { Command } from 'commander'
import type { Invocation } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCode } from '../../exit-code.ts'
import { type App, healthOf, syncStatusOf } from './application.ts'
import { parseSeconds, waitForApp } from './waiting.ts'

interface Options {
  readonly sync?: true
  readonly health?: true
  readonly operation?: true
  readonly timeout: string
  readonly dataDir?: string
}

/** Without an option everything is waited for. */
function conditionOf(options: Options): (app: App) => boolean {
  const all = options.sync === undefined && options.health === undefined && options.operation === undefined
  return (app) =>
    (!(all || options.sync) || syncStatusOf(app) === 'Synced') &&
    (!(all || options.health) || healthOf(app) === 'Healthy') &&
    (!(all || options.operation) || (app.operation === undefined && app.status?.operationState?.phase !== 'Running'))
}

export function addWait(app: Command, { terminal, action }: Invocation): void {
  app
    .command('wait <name>')
    .description('wait until an application is Synced, Healthy and has no operation running')
    .option('--sync', 'wait for Synced only')
    .option('--health', 'wait for Healthy only')
    .option('--operation', 'wait for the end of the operation only')
    .option('--timeout <seconds>', 'give up after this time; 0 for no limit', '0')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (name: string, options: Options) => {
        const timeoutSeconds = parseSeconds(options.timeout)
        const found = await waitForApp(terminal, connect(terminal, options), name, {
          timeoutSeconds,
          until: conditionOf(options),
        })
        terminal.out(`${name}: ${syncStatusOf(found)}, ${healthOf(found)}`)
        return exitCode.ok
      }),
    )
}
