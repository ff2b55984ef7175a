// `homeostat lab …`: experiments in virtual time, in this process; no daemon is needed.

import type { CommandDefinition } from '../../command.ts'
import { addLabCommands } from './commands.ts'
import { addLabList } from './list.ts'
import { addLabRun } from './run.ts'

export const labCommand: CommandDefinition = (program, invocation) => {
  const lab = program.command('lab').description('experiments on a simulated cluster in virtual time')
  addLabRun(lab, invocation)
  addLabList(lab, invocation)
  addLabCommands(lab, invocation)
}
