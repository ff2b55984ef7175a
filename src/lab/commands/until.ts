// `until CONDITION [for DURATION] within DURATION`: lets time go by until the condition holds (all that time), and says
// how long that took. A condition
// that never comes to hold is an error of the scenario.

import { type LabCommand, namespaceOf } from '../command.ts'
import { conditionFor } from '../condition.ts'
import { briefMs, formatDuration, parseDuration, roughly } from '../duration.ts'
import { UsageError } from '../scenario-error.ts'

const elapsed = (ms: number): string => (ms < briefMs ? roughly(ms) : `after ${roughly(ms)}`)

const lookEveryMs = 1000

export const untilCommand: LabCommand = {
  name: 'until',
  usage:
    '(KIND/NAME exists|gone|available|PATH=VALUE|PATH!=VALUE|PATH>=NUMBER|PATH<=NUMBER | COUNT [STATUS] KIND [-l SELECTOR] [-A] | COUNT ready endpoints of SERVICE | event REASON KIND/NAME) [for DURATION] within DURATION [-n NAMESPACE]',
  async run(lab, call) {
    const at = call.words.lastIndexOf('within')
    if (at < 0) throw new UsageError('say how long to wait: within DURATION')
    const limitMs = parseDuration(call.words[at + 1])
    const said = call.words.slice(0, at)
    const isHeld = said.at(-2) === 'for'
    const heldMs = isHeld ? parseDuration(said.at(-1)) : 0
    const words = isHeld ? said.slice(0, -2) : said
    const holds = await conditionFor(lab, words, { call, namespace: namespaceOf(call) })
    const { clock } = lab.world
    const startedAt = clock.now()
    let heldSince: number | undefined
    for (;;) {
      heldSince = (await lab.ask(holds)) ? (heldSince ?? clock.now()) : undefined
      if (heldSince !== undefined && clock.now() - heldSince >= heldMs) break
      if (clock.now() - startedAt >= limitMs) throw new Error(`not within ${formatDuration(limitMs)} of virtual time`)
      await lab.world.advance(lookEveryMs)
    }
    return [`${said.join(' ')}: ${elapsed(clock.now() - startedAt)}`]
  },
}
