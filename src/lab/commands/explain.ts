// `explain KIND/NAME`: which loop has the next step, and what gap it sees.

import { explain, formatFindings } from '#insight'
import type { LabCommand } from '../command.ts'

export const explainCommand: LabCommand = {
  name: 'explain',
  usage: 'KIND/NAME [-n NAMESPACE]',
  async run(lab, { words: [target], options }) {
    const { kind, ref } = await lab.target(target, options.get('namespace'))
    return [formatFindings(await lab.ask((client) => explain(client, kind, ref)))]
  },
}
