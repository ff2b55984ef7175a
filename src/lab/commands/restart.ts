// `restart controller NAME`: the loop ends where it stands and begins with nothing but what the API holds.
// `restart apiserver [--for=DURATION]`: watches end, requests fail for that long (default 10 s), then another server begins
// over the same store: what the old one held in memory is read again, and so is every cache.
// `restart kubelet NODE`: containers go on, the kubelet finds them again.
// `restart machine`: API server, loops and kubelets all die where they stand and begin with nothing but what is stored.

import type { LabCommand } from '../command.ts'
import { parseDuration } from '../duration.ts'
import { knownLoop } from '../loops.ts'
import { nodeNamed } from '../nodes.ts'
import { UsageError } from '../scenario-error.ts'

const usualOutage = '10s'

export const restartCommand: LabCommand = {
  name: 'restart',
  usage: 'controller NAME | apiserver [--for=DURATION] | kubelet NODE | machine',
  async run(lab, { words: [what, name = ''], options }) {
    const { machine, world, interference } = lab
    switch (what) {
      case 'controller':
        machine.runtime.restartLoop(knownLoop(lab, name))
        return []
      case 'apiserver':
        interference.stopServer()
        await world.advance(parseDuration(options.get('for') ?? usualOutage))
        machine.restartServer()
        interference.startServer()
        return []
      case 'machine':
        machine.restart()
        return []
      case 'kubelet':
        machine.residents.kubelet?.stopNode(nodeNamed(lab, name))
        await world.settle()
        machine.residents.kubelet?.startNode(nodeNamed(lab, name))
        return []
      default:
        throw new UsageError(`${what ?? 'nothing'} cannot be restarted`)
    }
  },
}
