// `taint NODE KEY=VALUE:EFFECT` adds a taint, `taint NODE KEY:EFFECT-` takes it away.

import { Node, type Taint } from '#kinds'
import type { LabCommand } from '../command.ts'
import { UsageError } from '../scenario-error.ts'

export const taintCommand: LabCommand = {
  name: 'taint',
  usage: 'NODE KEY[=VALUE]:EFFECT[-]',
  async run(lab, { words: [shown = '', text = ''] }) {
    const name = lab.names.real('', shown)
    const match = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)(-?)$/.exec(text)
    if (match === null) throw new UsageError(`${text} is not a taint`)
    const [, key = '', value, effect = '', minus] = match
    await lab.ask(async (client) => {
      const node = await client.get(Node, { name })
      const others = (node.spec?.taints ?? []).filter((taint) => taint.key !== key || taint.effect !== effect)
      const added: Taint = { key, effect: effect as Taint['effect'], ...(value === undefined ? {} : { value }) }
      const taints = minus === '-' ? others : [...others, added]
      await client.patch(Node, { name }, { spec: { taints } }, { type: 'application/merge-patch+json' })
    })
    return [`node/${name} ${minus === '-' ? 'untainted' : 'tainted'}`]
  },
}
