// `homeostat app terminate-op NAME`: ends the operation that runs.

import type { Command } from 'commander'
import type { Invocation } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCode } from '../../exit-code.ts'
import { parseSeconds, waitForOperation } from './waiting.ts'

export function addTerminate(app: Command, { terminal, action }: Invocation): void {
  app
    .command('terminate-op <name>')
    .description('end the operation of an application that runs, or waits')
    .option('--timeout <seconds>', 'give up waiting after this time; 0 for no limit', '60')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (name: string, options: { timeout: string; dataDir?: string }) => {
        const timeoutSeconds = parseSeconds(options.timeout)
        const api = connect(terminal, options)
        await api.call('DELETE', `/applications/${encodeURIComponent(name)}/operation`)
        await waitForOperation(terminal, api, { name, timeoutSeconds })
        terminal.out(`operation of ${name} terminated`)
        return exitCode.ok
      }),
    )
}
