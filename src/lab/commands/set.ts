// `set image KIND/NAME CONTAINER=IMAGE …`: a new template, and with it a rollout.

import type { LabCommand } from '../command.ts'
import { UsageError } from '../scenario-error.ts'

export const setCommand: LabCommand = {
  name: 'set',
  usage: 'image KIND/NAME CONTAINER=IMAGE … [-n NAMESPACE]',
  async run(lab, { words: [what, target, ...images], options }) {
    if (what !== 'image' || images.length === 0) throw new UsageError('only images can be set')
    const { kind, ref } = await lab.target(target, options.get('namespace'))
    const containers = images.map((word) => {
      const [name = '', ...image] = word.split('=')
      return { name, image: image.join('=') }
    })
    const spec = kind.kind === 'Pod' ? { containers } : { template: { spec: { containers } } }
    await lab.ask((client) => client.patch(kind, ref, { spec }, { type: 'application/strategic-merge-patch+json' }))
    return [`${kind.kind.toLowerCase()}/${ref.name} image updated`]
  },
}
