// `homeostat explain KIND/NAME`: which loop has the next step for an object, and what gap it sees. Without an object: for
// everything in the cluster that is not as it should be.

import { isNotFound } from '#api'
import type { Client, ObjectRef } from '#client'
import {
  type Changed,
  explain,
  type Finding,
  formatFindings,
  type LoopState,
  type LoopTrouble,
  type Placement,
  type Placements,
  type Waiting,
  type WaitingObject,
} from '#insight'
import { type Kind, Pod } from '#kinds'
import type { CommandDefinition } from '../command.ts'
import { connect, type DaemonApi } from '../connect.ts'
import { connected } from '../connected.ts'
import { CommandError, type ExitCode, exitCode } from '../exit-code.ts'
import { parseOutputFormat, printResult } from '../output.ts'
import { findResource } from '../resources.ts'
import type { Terminal } from '../terminal.ts'

interface Target {
  readonly kind: string
  readonly name: string
}

/** `KIND/NAME`, or the two as words of their own, as kubectl takes them. */
function parseTarget(text: string, second: string | undefined): Target {
  const [kind = '', name = '', ...others] = [...text.split('/'), ...(second === undefined ? [] : [second])]
  if (kind === '' || name === '' || others.length > 0) {
    const given = second === undefined ? text : `${text} ${second}`
    throw new CommandError(`explain ${given}: give KIND/NAME, such as pod/web-1 or deployment/web`, exitCode.usage)
  }
  return { kind, name }
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

/** What the daemon's loops say of themselves. */
const loopsOf = async (api: DaemonApi): Promise<readonly LoopState[]> =>
  (await api.call<{ readonly items: readonly LoopState[] }>('GET', '/homeostat/loops')).items

/** What was changed in the cluster behind git's back. */
const changesOf = async (api: DaemonApi, application: string): Promise<readonly Changed[]> =>
  (
    await api.call<{ readonly items: readonly Changed[] }>(
      'GET',
      `/homeostat/drift?${new URLSearchParams({ application })}`,
    )
  ).items

interface ExplainOptions {
  readonly namespace?: string
  readonly output: string
  readonly dataDir?: string
}

interface EverythingWaiting extends Waiting {
  readonly loops: readonly LoopTrouble[]
}

function formatTrouble({ loop, trouble, keys, key, error }: LoopTrouble): string {
  const others = keys > 1 ? ` and ${keys - 1} more` : ''
  return `✗ loop ${loop} ${trouble}${key === undefined ? '' : ` on ${key}${others}`}: ${error}`
}

const namesShown = 10

function named(label: string, objects: readonly string[]): string {
  if (objects.length === 0) return ''
  const more = objects.length > namesShown ? ` and ${objects.length - namesShown} more` : ''
  return `\n  ${label}${objects.slice(0, namesShown).join(', ')}${more}`
}

const formatItem = ({ findings, holdsUp, alike }: WaitingObject): string =>
  `${formatFindings(findings)}${named('the same  ', alike)}${named('holds up  ', holdsUp)}`

function formatWaiting({ items, more, loops }: EverythingWaiting): string {
  if (items.length + loops.length === 0) return '✓ nothing waits: every object is as its loop wants it'
  return [
    ...loops.map(formatTrouble),
    ...items.map(formatItem),
    ...(more > 0 ? [`and ${more} more: choose a namespace with -n`] : []),
  ].join('\n')
}

async function explainAll(terminal: Terminal, options: ExplainOptions): Promise<ExitCode> {
  const format = parseOutputFormat(options.output)
  const query = options.namespace === undefined ? '' : `?${new URLSearchParams({ namespace: options.namespace })}`
  const waiting = await connect(terminal, options).call<EverythingWaiting>('GET', `/homeostat/waiting${query}`)
  printResult(terminal, format, waiting, () => formatWaiting(waiting))
  return waiting.items.length + waiting.loops.length === 0 ? exitCode.ok : exitCode.differs
}

async function findingsFor(terminal: Terminal, target: Target, options: ExplainOptions): Promise<readonly Finding[]> {
  const { kind: kindName, name } = target
  return connected(terminal, options, async (client) => {
    const kind = await findResource(client, kindName)
    const ref = await locate(client, kind, { name, namespace: options.namespace })
    const placements = kind.kind === Pod.kind ? await placementsOf(connect(terminal, options), ref) : undefined
    const loops = () => loopsOf(connect(terminal, options))
    const changes = (application: string) => changesOf(connect(terminal, options), application)
    return explain(client, kind, { ...ref, loops, changes, ...(placements === undefined ? {} : { placements }) }).catch(
      (error: unknown) => {
        if (!isNotFound(error)) throw error
        const where = kind.namespaced ? ` in namespace ${ref.namespace} (choose another with -n)` : ''
        throw new CommandError(`${kindName}/${name} does not exist${where}`)
      },
    )
  })
}

export const explainCommand: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('explain [kind/name] [name]')
    .description('say which loop is stuck on an object (default: on any), and what gap it sees')
    .option('-n, --namespace <namespace>', 'namespace of the object (default: "default", or the only one that has it)')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (target: string | undefined, name: string | undefined, options: ExplainOptions) => {
        if (target === undefined) return explainAll(terminal, options)
        const format = parseOutputFormat(options.output)
        const findings = await findingsFor(terminal, parseTarget(target, name), options)
        printResult(terminal, format, findings, () => formatFindings(findings))
        return findings.every(({ state }) => state === 'converged') ? exitCode.ok : exitCode.differs
      }),
    )
}
