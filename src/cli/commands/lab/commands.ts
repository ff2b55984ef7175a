// `homeostat lab commands`: what a line of a scenario can be.

import type { CommandDefinition } from '../../command.ts'
import { exitCode } from '../../exit-code.ts'

export const addLabCommands: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('commands')
    .description('list the commands that scenarios are written in')
    .action(
      action(async () => {
        const { scenarioCommands } = await import('#lab')
        for (const { name, usage } of scenarioCommands) terminal.out(`${name} ${usage}`)
        terminal.out('\nAny command may run again and again: --every=DURATION --for=DURATION')
        return exitCode.ok
      }),
    )
}
