// `try creation`: a dry run of a small pod in every namespace (or in that of `-n`): where it is refused, no loop can
// repair anything.

import type { LabCommand } from '../command.ts'
import { parseLabels, tryCreation } from '../creation.ts'
import { UsageError } from '../scenario-error.ts'

const fewNames = 6

export const tryCommand: LabCommand = {
  name: 'try',
  usage: 'creation [-n NAMESPACE] [-l LABELS]',
  async run(lab, { words: [what], options }) {
    if (what !== 'creation') throw new UsageError('only creation can be tried')
    const namespace = options.get('namespace')
    const labels = parseLabels(options.get('selector'))
    const { namespaces, refused } = await tryCreation(lab, {
      labels,
      ...(namespace === undefined ? {} : { namespace }),
    })
    const names = refused.map((one) => one.namespace)
    const where = names.length > 0 && names.length <= fewNames && namespaces.length > 1 ? `: ${names.join(', ')}` : ''
    const messages = [...new Set(refused.map(({ message }) => message))]
    return [
      `pods can be created in ${namespaces.length - refused.length} of ${namespaces.length} namespaces, are refused in ${refused.length}${where}`,
      ...messages.slice(0, 2).map((message) => `  ${message}`),
    ]
  },
}
