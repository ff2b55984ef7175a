// `lose watch KIND`: the open watches of all loops on this kind hang: nothing arrives any more, and nobody is told.

import type { LabCommand } from '../command.ts'
import { UsageError } from '../scenario-error.ts'

export const loseCommand: LabCommand = {
  name: 'lose',
  usage: 'watch KIND',
  async run(lab, { words: [what, name = ''] }) {
    if (what !== 'watch') throw new UsageError('only watches can be lost')
    const kind = await lab.kindNamed(name)
    if (lab.interference.hangWatches(kind.resource) === 0) throw new UsageError(`no loop watches ${kind.resource}`)
    return []
  },
}
