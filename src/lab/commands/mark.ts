// `mark COLUMN begin` starts the clock of a column, `mark COLUMN FIGURE KIND` measures one of its figures:
//   elapsed               time since the column began
//   impact DURATION       time until no namespace can create pods, looked at for that long
//   refused               how many namespaces cannot create pods
//   refused-in NAMESPACE  yes or no
//   possible-in NAMESPACE yes or impossible (with the labels of -l)

import type { CommandCall, LabCommand } from '../command.ts'
import { parseLabels, type Trial, tryCreation } from '../creation.ts'
import { parseDuration, roughly } from '../duration.ts'
import type { Lab } from '../lab.ts'
import { UsageError } from '../scenario-error.ts'

const lookEveryMs = 5000

export const markCommand: LabCommand = {
  name: 'mark',
  usage:
    "COLUMN begin | COLUMN 'FIGURE' elapsed|impact DURATION|refused|refused-in NAMESPACE|possible-in NAMESPACE [-l LABELS]",
  async run(lab, call) {
    const [column = '', figure = '', kind = '', argument = ''] = call.words
    if (figure === 'begin') {
      lab.figures.begin(column, lab.world.clock.now())
      return []
    }
    const value = await measure(lab, call, { column, kind, argument })
    lab.figures.set(column, figure, value)
    return [`${column}: ${figure}: ${value}`]
  },
}

interface Measure {
  readonly column: string
  readonly kind: string
  readonly argument: string
}

async function measure(lab: Lab, call: CommandCall, { column, kind, argument }: Measure): Promise<string> {
  const labels = parseLabels(call.options.get('selector'))
  switch (kind) {
    case 'elapsed':
      return roughly(lab.world.clock.now() - lab.figures.startOf(column))
    case 'impact':
      return impact(lab, column, parseDuration(argument))
    case 'refused':
      return countOf(await tryCreation(lab))
    case 'refused-in':
      return (await tryCreation(lab, { namespace: argument })).refused.length > 0 ? 'yes' : 'no'
    case 'possible-in':
      return (await tryCreation(lab, { namespace: argument, labels })).refused.length > 0 ? 'impossible' : 'yes'
    default:
      throw new UsageError(`${kind} cannot be measured`)
  }
}

const countOf = ({ namespaces, refused }: Trial): string =>
  refused.length === namespaces.length ? `all (${namespaces.length})` : `${refused.length} of ${namespaces.length}`

async function impact(lab: Lab, column: string, limitMs: number): Promise<string> {
  const startedAt = lab.figures.startOf(column)
  const { clock } = lab.world
  for (;;) {
    const { namespaces, refused } = await tryCreation(lab)
    if (refused.length === namespaces.length) return roughly(clock.now() - startedAt)
    if (clock.now() - startedAt >= limitMs) return 'no cluster-wide impact'
    await lab.world.advance(lookEveryMs)
  }
}
