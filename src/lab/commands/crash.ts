// `crash controller NAME after COUNT writes`: the loop dies right after the server took that write, before it hears so.
// `crash machine after COUNT writes`: so do all loops, kubelets and the server itself, after a write of any of them.

import type { LabCommand } from '../command.ts'
import { knownLoop } from '../loops.ts'
import { UsageError } from '../scenario-error.ts'
import { parseCount } from '../words.ts'

export const crashCommand: LabCommand = {
  name: 'crash',
  usage: 'controller NAME after COUNT writes | machine after COUNT writes',
  async run(lab, { words: [what, ...words] }) {
    if (what !== 'controller' && what !== 'machine')
      throw new UsageError('only controllers and the machine crash, after some writes')
    const [name, after, count] = what === 'machine' ? [undefined, ...words] : words
    if (after !== 'after') throw new UsageError('say after how many writes')
    const writes = parseCount(count, 'writes')
    if (name === undefined) lab.interference.crashMachineAfter(writes)
    else lab.interference.crashAfter(knownLoop(lab, name), writes)
    return []
  },
}
