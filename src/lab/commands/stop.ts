// `stop node NAME` and `start node NAME`: its kubelet falls silent, as when the machine is cut off; its containers go on.
// `node of POD` names the node that a pod is bound to.

import { Pod } from '#kinds'
import type { CommandCall, LabCommand } from '../command.ts'
import type { Lab } from '../lab.ts'
import { nodeNamed } from '../nodes.ts'
import { UsageError } from '../scenario-error.ts'

async function nodeOf(lab: Lab, { words: [what, name, pod], options }: CommandCall): Promise<string> {
  if (what !== 'node' || name === undefined) throw new UsageError('name a node: node NAME, or node of pod/NAME')
  if (name !== 'of') return nodeNamed(lab, name)
  const { ref } = await lab.target(pod, options.get('namespace'))
  const { spec } = await lab.ask((client) => client.get(Pod, ref))
  if (spec.nodeName === undefined) throw new UsageError(`${pod} is on no node`)
  return spec.nodeName
}

function kubeletOf({ machine }: Lab) {
  const { kubelet } = machine.residents
  if (kubelet === undefined) throw new UsageError('the nodes of this cluster cannot be stopped')
  return kubelet
}

export const stopCommand: LabCommand = {
  name: 'stop',
  usage: 'node NAME | node of pod/NAME [-n NAMESPACE]',
  async run(lab, call) {
    kubeletOf(lab).stopNode(await nodeOf(lab, call))
    return []
  },
}

export const startCommand: LabCommand = {
  name: 'start',
  usage: 'node NAME | node of pod/NAME [-n NAMESPACE]',
  async run(lab, call) {
    kubeletOf(lab).startNode(await nodeOf(lab, call))
    return []
  },
}
