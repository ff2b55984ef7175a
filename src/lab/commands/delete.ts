// `delete KIND/NAME`: as kubectl, but without waiting for the object to be gone.

import type { DeleteOptions } from '#client'
import { type LabCommand, spaceOf } from '../command.ts'
import { UsageError } from '../scenario-error.ts'
import { parseCount } from '../words.ts'

const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const

export const deleteCommand: LabCommand = {
  name: 'delete',
  usage: 'KIND/NAME | KIND -l SELECTOR [-n NAMESPACE] [--cascade=orphan|foreground] [--grace-period=SECONDS]',
  async run(lab, call) {
    const { words, options } = call
    const cascade = options.get('cascade') ?? 'background'
    const policy = policies[cascade as keyof typeof policies]
    if (policy === undefined) throw new UsageError(`--cascade=${cascade}: use ${Object.keys(policies).join(', ')}`)
    const grace = options.get('grace-period')
    const how: DeleteOptions = {
      propagationPolicy: policy,
      ...(grace === undefined ? {} : { gracePeriodSeconds: parseCount(grace, '--grace-period') }),
    }
    const lines: string[] = []
    for (const word of words) {
      if (!word.includes('/')) {
        const kind = await lab.kindNamed(word)
        const { items } = await lab.ask((client) => client.list(kind, spaceOf(call)))
        for (const { metadata } of items) {
          const { namespace, name = '' } = metadata
          await lab.ask((client) =>
            client.delete(kind, { ...(namespace === undefined ? {} : { namespace }), name }, how),
          )
          lines.push(`${kind.kind.toLowerCase()} "${name}" deleted`)
        }
        continue
      }
      const { kind, ref } = await lab.target(word, options.get('namespace'))
      await lab.ask((client) => client.delete(kind, ref, how))
      lines.push(`${kind.kind.toLowerCase()} "${ref.name}" deleted`)
    }
    if (words.length === 0) throw new UsageError('name what is to be deleted')
    return lines
  },
}
