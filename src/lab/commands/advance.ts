// `advance DURATION`: lets that much virtual time go by.

import type { LabCommand } from '../command.ts'
import { parseDuration } from '../duration.ts'

export const advanceCommand: LabCommand = {
  name: 'advance',
  usage: 'DURATION',
  async run({ world }, { words: [duration] }) {
    await world.advance(parseDuration(duration))
    return []
  },
}
