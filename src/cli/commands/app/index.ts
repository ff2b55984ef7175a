// `homeostat app …`: what `argocd app …` does, against the daemon's REST interface.

import type { CommandDefinition } from '../../command.ts'
import { addActions } from './actions.ts'
import { addDelete } from './delete.ts'
import { addDiff } from './diff.ts'
import { addGet } from './get.ts'
import { addHistory, addRollback } from './history.ts'
import { addList } from './list.ts'
import { addSync } from './sync.ts'
import { addTerminate } from './terminate.ts'
import { addWait } from './wait.ts'

const commands = [
  addList,
  addGet,
  addSync,
  addDiff,
  addHistory,
  addRollback,
  addWait,
  addTerminate,
  addActions,
  addDelete,
]

export const appCommand: CommandDefinition = (program, invocation) => {
  const app = program.command('app').description('list, compare, sync and roll back applications')
  for (const add of commands) add(app, invocation)
}
