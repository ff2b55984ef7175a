// `homeostat route SERVICE --from NODE|POD`: where a request would go, and why.

import { explainRoute, formatRoute, RouteError } from '#insight'
import type { CommandDefinition } from '../command.ts'
import { connected } from '../connected.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import { parseOutputFormat, printResult } from '../output.ts'

interface Options {
  readonly from: string
  readonly namespace?: string
  readonly external?: boolean
  readonly protocol: string
  readonly output: string
  readonly dataDir?: string
}

const help = `
How a request finds its way, step by step:
  name     what the cluster's DNS answers; short names are tried with the search path of the pod
           (web → web.NAMESPACE.svc.cluster.local). Headless Services answer with their endpoints.
  table    the proxy of the node that the request comes from (or, for node ports, comes to) decides
           by internalTrafficPolicy or externalTrafficPolicy and by topology hints.
  →, ✗     every endpoint of the port, in or out, with the reason.
  result   one of the endpoints; refused where there is none at all; dropped where a Local policy
           leaves none on the node.

Examples:
  homeostat route web --from node-0                 a pod of namespace default on that node
  homeostat route web.shop:http --from client-7d9   from a pod, to a named port
  homeostat route db-0.db --from shop/web-6f-x2k    a pod of a StatefulSet by its own name
  homeostat route web.shop --from node-1 --external from outside, by load balancer or node port

To measure over time, create a Probe (docs/lab.md).`

function parseProtocol(text: string): 'TCP' | 'UDP' | 'SCTP' {
  const protocol = (['TCP', 'UDP', 'SCTP'] as const).find((name) => name === text.toUpperCase())
  if (protocol === undefined) throw new CommandError(`--protocol ${text}: use one of TCP, UDP, SCTP`, exitCode.usage)
  return protocol
}

export const routeCommand: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('route <service[.namespace][:port]>')
    .description('show where a request to a Service would go, which node decides, and why each endpoint is in or out')
    .requiredOption('--from <node|pod>', 'who asks: NODE, POD, NAMESPACE/POD, node/NAME or pod/NAME')
    .option('-n, --namespace <namespace>', 'namespace of the pod, or where short names are looked up from a node')
    .option('--external', 'traffic from outside of the cluster that comes to that node')
    .option('--protocol <protocol>', 'TCP, UDP or SCTP', 'TCP')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .addHelpText('after', help)
    .action(
      action(async (target: string, options: Options) => {
        const format = parseOutputFormat(options.output)
        const { from, namespace, external = false } = options
        const protocol = parseProtocol(options.protocol)
        const question = { target, from, external, protocol, ...(namespace === undefined ? {} : { namespace }) }
        const report = await connected(terminal, options, (client) =>
          explainRoute(client, question).catch((error: unknown) => {
            throw error instanceof RouteError ? new CommandError(error.message, undefined, { cause: error }) : error
          }),
        )
        printResult(terminal, format, report, () => formatRoute(report))
        return ['endpoints', 'outside'].includes(report.result.type) ? exitCode.ok : exitCode.differs
      }),
    )
}
