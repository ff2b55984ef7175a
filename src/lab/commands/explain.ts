// `explain KIND/NAME`: which loop has the next step, and what gap it sees.

import { explain, formatFindings } from '#insight'
import type { LabCommand } from '../command.ts'

export const explainCommand: LabCommand = {
  name: 'explain',
  usage: 'KIND/NAME [-n NAMESPACE]',
  async run(lab, { words: [target], options }) {
    const { kind, ref } = await lab.target(target, options.get('namespace'))
    const text = formatFindings(await lab.ask((client) => explain(client, kind, ref)))
    // How often something was tried, and the second of a deletion, are another in every interleaving.
    return [text.replace(/\(\d+ times\)/g, '(again and again)').replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '<time>')]
  },
}
