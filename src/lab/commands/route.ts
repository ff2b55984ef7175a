// `route SERVICE --from NODE|POD`: where a request would go, by the tables as the nodes have them now.

import { explainRoute, formatRoute, RouteError, type RouteQuestion } from '#insight'
import type { LabCommand } from '../command.ts'
import { UsageError } from '../scenario-error.ts'

export const routeCommand: LabCommand = {
  name: 'route',
  usage: 'SERVICE[.NAMESPACE][:PORT] --from NODE|POD [--external] [-n NAMESPACE]',
  async run(lab, { words: [target], options }) {
    const from = options.get('from')
    if (target === undefined || from === undefined) throw new UsageError('say what is asked for, and --from where')
    const namespace = options.get('namespace')
    const [space = '', name = ''] = from.includes('/') ? from.split('/') : [namespace ?? 'default', from]
    // Names are those that the lab shows: nodes have letters.
    const isNode = /^node-[a-z]$/.test(from)
    const question: RouteQuestion = {
      target,
      from: isNode ? `node/${lab.names.real('', from)}` : `${space}/${lab.names.real(space, name)}`,
      external: options.has('external'),
      proxies: lab.machine.residents.proxy,
      ...(namespace === undefined ? {} : { namespace }),
    }
    try {
      return [formatRoute(await lab.ask((client) => explainRoute(client, question)), (text) => lab.names.show(text))]
    } catch (error) {
      if (error instanceof RouteError) return [`error: ${error.message}`]
      throw error
    }
  },
}
