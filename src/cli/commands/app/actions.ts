// `homeostat app actions list|run`: what can be done with the resources of an application, and doing it; as `argocd app actions`.

import type { Command } from 'commander'
import type { ResourceAction } from '#gitops'
import type { Invocation } from '../../command.ts'
import { connect, type DaemonApi } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { formatTable, parseOutputFormat, printResult } from '../../output.ts'
import type { Terminal } from '../../terminal.ts'
import { type App, getApp } from './application.ts'

interface Filter {
  readonly group?: string
  readonly kind?: string
  readonly namespace?: string
  readonly resourceName?: string
}

interface Resource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** The resources that a filter leaves: what git brings and is there, and the application itself. */
export function chosenResources(app: App, { group, kind, namespace, resourceName }: Filter): readonly Resource[] {
  const { name, namespace: own = '' } = app.metadata
  const itself = { group: 'argoproj.io', version: 'v1alpha1', kind: 'Application', namespace: own, name }
  const managed = (app.status?.resources ?? [])
    .filter(({ health }) => health?.status !== 'Missing')
    .map((each) => ({ ...each, group: each.group ?? '', version: each.version ?? '', namespace: each.namespace ?? '' }))
  return [...managed, itself].filter(
    (resource) =>
      (group === undefined || group === resource.group) &&
      (kind === undefined || kind === resource.kind) &&
      (namespace === undefined || namespace === resource.namespace) &&
      (resourceName === undefined || resourceName === resource.name),
  )
}

const nameOf = ({ group, kind, namespace, name }: Resource): string =>
  [group, kind, namespace, name].filter((part) => part !== '').join('/')

const pathOf = (app: string): string => `/applications/${encodeURIComponent(app)}/resource/actions`

function actionsOf(api: DaemonApi, app: string, { name, ...resource }: Resource) {
  const query = new URLSearchParams({ ...resource, resourceName: name })
  return api.call<{ actions: readonly ResourceAction[] | null }>('GET', `${pathOf(app)}?${query}`)
}

interface ListOptions extends Filter {
  readonly output: string
  readonly dataDir?: string
}

interface Listed extends Omit<Resource, 'version'> {
  readonly action: string
  readonly disabled: boolean
}

async function list(terminal: Terminal, name: string, options: ListOptions): Promise<0 | 3> {
  const format = parseOutputFormat(options.output)
  const api = connect(terminal, options)
  const listed: Listed[] = []
  let failed = false
  for (const resource of chosenResources(await getApp(api, name), options)) {
    try {
      const { version: _, ...shown } = resource
      for (const { name: action, disabled = false } of (await actionsOf(api, name, resource)).actions ?? [])
        listed.push({ ...shown, action, disabled })
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      failed = true
      terminal.err(`${nameOf(resource)}: ${error.message}`)
    }
  }
  printResult(terminal, format, listed, () =>
    formatTable(
      ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'ACTION', 'DISABLED'],
      listed.map((each) => [each.group, each.kind, each.namespace, each.name, each.action, String(each.disabled)]),
    ),
  )
  return failed ? exitCode.failed : exitCode.ok
}

interface RunOptions extends Filter {
  readonly all?: true
  readonly param?: readonly string[]
  readonly dataDir?: string
}

/** `NAME=VALUE`. */
export function parseParameter(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=')
  if (at < 1) throw new CommandError(`--param ${text}: give NAME=VALUE`, exitCode.usage)
  return { name: text.slice(0, at), value: text.slice(at + 1) }
}

/** Those to run an action on: one, unless all are meant, and of one group. */
export function mustBeClear(resources: readonly Resource[], options: RunOptions): readonly Resource[] {
  if (resources.length === 0)
    throw new CommandError('no resource of the application matches: see `homeostat app actions list`')
  if (new Set(resources.map(({ group }) => group)).size > 1)
    throw new CommandError('resources of several groups match: name one with --group', exitCode.usage)
  if (resources.length > 1 && options.all !== true)
    throw new CommandError(
      `${resources.length} resources match (${resources.slice(0, 3).map(nameOf).join(', ')}${resources.length > 3 ? ', …' : ''}): name one with --resource-name, or use --all`,
      exitCode.usage,
    )
  return resources
}

async function run(terminal: Terminal, [name, action]: readonly [string, string], options: RunOptions): Promise<0> {
  const parameters = (options.param ?? []).map(parseParameter)
  const api = connect(terminal, options)
  for (const resource of mustBeClear(chosenResources(await getApp(api, name), options), options)) {
    const { name: resourceName, ...rest } = resource
    await api.call('POST', `${pathOf(name)}/v2`, {
      ...rest,
      resourceName,
      action,
      ...(parameters.length === 0 ? {} : { resourceActionParameters: parameters }),
    })
    terminal.out(`${nameOf(resource)}: ${action} done`)
  }
  return exitCode.ok
}

const filtered = (command: Command): Command =>
  command
    .option('--group <group>', 'of resources of this API group')
    .option('--namespace <namespace>', 'of resources in this namespace')
    .option('--resource-name <name>', 'of the resource by this name')
    .option('--data-dir <folder>', "the daemon's data directory")

export function addActions(app: Command, { terminal, action }: Invocation): void {
  const actions = app.command('actions').description('list and run actions on the resources of an application')
  filtered(actions.command('list <name>'))
    .description('list the actions that the resources have')
    .option('--kind <kind>', 'of resources of this kind')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .action(action((name: string, options: ListOptions) => list(terminal, name, options)))
  filtered(actions.command('run <name> <action>'))
    .description('run an action on a resource')
    .requiredOption('--kind <kind>', 'of resources of this kind')
    .option('--all', 'run it on every resource that matches')
    .option('--param <NAME=VALUE...>', 'a parameter of the action')
    .action(action((name: string, what: string, options: RunOptions) => run(terminal, [name, what], options)))
}
