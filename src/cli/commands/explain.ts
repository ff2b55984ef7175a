// `homeostat explain KIND/NAME`: which loop has the next step for an object, and what gap it sees.

import { isNotFound } from '#api'
import type { Client, ObjectRef } from '#client'
import { explain, formatFindings, type Placement, type Placements } from '#insight'
import { type Kind, Pod } from '#kinds'
import type { CommandDefinition } from '../command.ts'
import { connect, type DaemonApi } from '../connect.ts'
import { connected } from '../connected.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import { parseOutputFormat, printResult } from '../output.ts'
import { findResource } from '../resources.ts'

function parseTarget(text: string): { readonly kind: string; readonly name: string } {
  const slash = text.indexOf('/')
  if (slash <= 0 || slash === text.length - 1)
    throw new CommandError(`explain ${text}: give KIND/NAME, such as pod/web-1 or deployment/web`, exitCode.usage)
  return { kind: text.slice(0, slash), name: text.slice(slash + 1) }
}

/** Where the object is: in the namespace that was named, else in `default`, else in the only one that has it. */
async function locate(
  client: Client,
  kind: Kind,
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): Promise<ObjectRef> {
  if (!kind.namespaced) return { name }
  if (namespace !== undefined) return { namespace, name }
  const { items } = await client.list(kind, { fieldSelector: `metadata.name=${name}` })
  const spaces = items.map(({ metadata }) => metadata.namespace ?? '')
  if (spaces.length > 1 && !spaces.includes('default'))
    throw new CommandError(`${name} exists in the namespaces ${spaces.join(', ')}: choose one with -n`, exitCode.usage)
  return { namespace: spaces.includes('default') ? 'default' : (spaces[0] ?? 'default'), name }
}

interface Remembered {
  readonly schedulers: readonly string[]
  readonly placement?: Placement
}

/** What the daemon's scheduler remembers of a pod. */
async function placementsOf(api: DaemonApi, { namespace = 'default', name }: ObjectRef): Promise<Placements> {
  const query = new URLSearchParams({ namespace, name })
  const { schedulers, placement } = await api.call<Remembered>('GET', `/homeostat/placement?${query}`)
  return { schedulers, of: () => placement }
}

export const explainCommand: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('explain <kind/name>')
    .description('say which loop is stuck on an object, and what gap it sees; exit code 1 unless converged')
    .option('-n, --namespace <namespace>', 'namespace of the object (default: "default", or the only one that has it)')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (target: string, options: { namespace?: string; output: string; dataDir?: string }) => {
        const format = parseOutputFormat(options.output)
        const { kind: kindName, name } = parseTarget(target)
        const findings = await connected(terminal, options, async (client) => {
          const kind = await findResource(client, kindName)
          const ref = await locate(client, kind, { name, namespace: options.namespace })
          const placements = kind.kind === Pod.kind ? await placementsOf(connect(terminal, options), ref) : undefined
          const asked = placements === undefined ? ref : { ...ref, placements }
          return explain(client, kind, asked).catch((error: unknown) => {
            if (!isNotFound(error)) throw error
            const where = kind.namespaced ? ` in namespace ${ref.namespace} (choose another with -n)` : ''
            throw new CommandError(`${kindName}/${name} does not exist${where}`)
          })
        })
        printResult(terminal, format, findings, () => formatFindings(findings))
        return findings.every(({ state }) => state === 'converged') ? exitCode.ok : exitCode.differs
      }),
    )
}
