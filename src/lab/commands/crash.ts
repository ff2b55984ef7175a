// `crash controller NAME after COUNT writes`: the loop dies right after the server took that write, before it hears so.

import type { LabCommand } from '../command.ts'
import { knownLoop } from '../loops.ts'
import { UsageError } from '../scenario-error.ts'
import { parseCount } from '../words.ts'

export const crashCommand: LabCommand = {
  name: 'crash',
  usage: 'controller NAME after COUNT writes',
  async run(lab, { words: [what, name = '', after, count] }) {
    if (what !== 'controller' || after !== 'after') throw new UsageError('only controllers crash, after some writes')
    lab.interference.crashAfter(knownLoop(lab, name), parseCount(count, 'writes'))
    return []
  },
}
