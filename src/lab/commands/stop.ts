// `stop node NAME` and `start node NAME`: its kubelet falls silent, as when the machine is cut off; its containers go on.

import type { LabCommand } from '../command.ts'
import type { Lab } from '../lab.ts'
import { UsageError } from '../scenario-error.ts'

function kubeletOf({ machine }: Lab, what: string | undefined, name: string | undefined) {
  const { kubelet } = machine.residents
  if (what !== 'node' || name === undefined) throw new UsageError('name a node: node NAME')
  if (kubelet === undefined) throw new UsageError('the nodes of this cluster cannot be stopped')
  return { kubelet, name }
}

export const stopCommand: LabCommand = {
  name: 'stop',
  usage: 'node NAME',
  async run(lab, { words: [what, word] }) {
    const { kubelet, name } = kubeletOf(lab, what, word)
    kubelet.stopNode(name)
    return []
  },
}

export const startCommand: LabCommand = {
  name: 'start',
  usage: 'node NAME',
  async run(lab, { words: [what, word] }) {
    const { kubelet, name } = kubeletOf(lab, what, word)
    kubelet.startNode(name)
    return []
  },
}
