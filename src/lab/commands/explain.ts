// `explain KIND/NAME`: which loop has the next step, and what gap it sees.

import { explain, formatFindings, loopStateOf, type Placement, type Placements } from '#insight'
import type { Scheduler } from '#scheduler'
import type { LabCommand } from '../command.ts'

export const explainCommand: LabCommand = {
  name: 'explain',
  usage: 'KIND/NAME [-n NAMESPACE]',
  async run(lab, { words: [target], options }) {
    const { kind, ref } = await lab.target(target, options.get('namespace'))
    const { scheduler } = lab.machine.residents
    const placements: Placements = { schedulers: scheduler.names, of: (podKey) => waitingOnly(scheduler, podKey) }
    const loops = () => lab.machine.runtime.figures().loops.map(loopStateOf)
    const text = formatFindings(await lab.ask((client) => explain(client, kind, { ...ref, placements, loops })))
    // How often something was tried, and the second of a deletion, are another in every interleaving.
    return [text.replace(/\(\d+ times\)/g, '(again and again)').replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '<time>')]
  },
}

/** How nodes were scored is another in every interleaving; why none fits is not. */
function waitingOnly(scheduler: Scheduler, podKey: string): Placement | undefined {
  const placement = scheduler.lastAttempt(podKey)
  return placement?.node === undefined ? placement : undefined
}
