// `follow KIND`: from now on it is noted which manager changes which field, for `show fights`.

import type { LabCommand } from '../command.ts'

export const followCommand: LabCommand = {
  name: 'follow',
  usage: 'KIND',
  async run(lab, { words: [name = ''] }) {
    lab.followFights(await lab.kindNamed(name))
    await lab.world.settle()
    return []
  },
}
