// `homeostat dashboard`: a fresh sign-in link for the running daemon, for another browser or after the first was used.

import type { CommandDefinition } from '../command.ts'
import { connect } from '../connect.ts'
import { exitCode } from '../exit-code.ts'

export const dashboardCommand: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('dashboard')
    .description("print the dashboard's address with a sign-in that works once")
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (options: { dataDir?: string }) => {
        const api = connect(terminal, options)
        const { path } = await api.call<{ path: string }>('POST', '/homeostat/sign-in-link')
        terminal.out(new URL(path, api.dashboard).href)
        return exitCode.ok
      }),
    )
}
