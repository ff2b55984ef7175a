// `scale KIND/NAME COUNT`: through the scale subresource.

import type { LabCommand } from '../command.ts'
import { parseCount } from '../words.ts'

export const scaleCommand: LabCommand = {
  name: 'scale',
  usage: 'KIND/NAME COUNT [-n NAMESPACE] [--as=MANAGER]',
  async run(lab, { words: [target, count], options }) {
    const { kind, ref } = await lab.target(target, options.get('namespace'))
    const patch = { spec: { replicas: parseCount(count, 'replicas') } }
    const fieldManager = options.get('as') ?? 'kubectl'
    const how = { type: 'application/merge-patch+json', subresource: 'scale', fieldManager } as const
    await lab.ask((client) => client.patch(kind, ref, patch, how))
    return [`${kind.kind.toLowerCase()}/${ref.name} scaled to ${count}`]
  },
}
