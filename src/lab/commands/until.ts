// `until CONDITION within DURATION`: lets time go by until the condition holds, and says how long that took. A condition
// that never comes to hold is an error of the scenario.

import { type LabCommand, namespaceOf } from '../command.ts'
import { conditionFor } from '../condition.ts'
import { formatDuration, parseDuration, roughly } from '../duration.ts'
import { UsageError } from '../scenario-error.ts'

const elapsed = (ms: number): string => (ms === 0 ? 'at once' : ms < 10_000 ? roughly(ms) : `after ${roughly(ms)}`)

const lookEveryMs = 1000

export const untilCommand: LabCommand = {
  name: 'until',
  usage:
    '(KIND/NAME exists|gone|available|PATH=VALUE | COUNT [STATUS] KIND [-l SELECTOR] | COUNT ready endpoints of SERVICE | event REASON KIND/NAME) within DURATION',
  async run(lab, call) {
    const at = call.words.lastIndexOf('within')
    if (at < 0) throw new UsageError('say how long to wait: within DURATION')
    const limitMs = parseDuration(call.words[at + 1])
    const words = call.words.slice(0, at)
    const holds = await conditionFor(lab, words, { call, namespace: namespaceOf(call) })
    const { clock } = lab.world
    const startedAt = clock.now()
    while (!(await lab.ask(holds))) {
      if (clock.now() - startedAt >= limitMs) throw new Error(`not within ${formatDuration(limitMs)} of virtual time`)
      await lab.world.advance(lookEveryMs)
    }
    return [`${words.join(' ')}: ${elapsed(clock.now() - startedAt)}`]
  },
}
