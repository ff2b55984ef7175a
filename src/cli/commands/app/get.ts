// `homeostat app get NAME`: one application with its resources, conditions and last operation.

import type { Command } from 'commander'
import { shownRevisions, sourcesIn } from '#kinds'
import type { Invocation } from '../../command.ts'
import { connect, type DaemonApi } from '../../connect.ts'
import { formatTable, parseOutputFormat, printResult } from '../../output.ts'
import type { Terminal } from '../../terminal.ts'
import {
  type App,
  exitCodeOf,
  getApp,
  getSyncWindows,
  healthOf,
  placeOf,
  type SyncWindows,
  syncPolicyOf,
  syncStatusOf,
} from './application.ts'

/** What is known of an application beside the object itself. */
interface AppDetails {
  readonly windows: SyncWindows
  /** Objects in its namespace that belong to no application, where its project wants to know. */
  readonly orphans: readonly Orphan[]
}

interface Orphan {
  readonly group?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

async function getDetails(api: DaemonApi, name: string): Promise<AppDetails> {
  const path = `/applications/${encodeURIComponent(name)}/resource-tree`
  const { orphanedNodes } = await api.call<{ orphanedNodes?: readonly Orphan[] | null }>('GET', path)
  return { windows: await getSyncWindows(api, name), orphans: orphanedNodes ?? [] }
}

const windowFacts = ({ status, assignedWindows = [] }: SyncWindows): readonly (readonly [string, string])[] => [
  ['SyncWindow', status],
  ...(assignedWindows.length === 0
    ? []
    : [
        [
          'Assigned Windows',
          assignedWindows
            .map(({ kind = '', schedule = '', duration = '' }) => `${kind}:${schedule}:${duration}`)
            .join(','),
        ] as const,
      ]),
]

const facts = (app: App, { windows }: AppDetails): readonly (readonly [string, string])[] => {
  const { destination } = app.spec
  const sources = sourcesIn(app.spec)
  const operation = app.status?.operationState
  const health = app.status?.health?.message
  return [
    ['Name', `${app.metadata.namespace ?? 'argocd'}/${app.metadata.name}`],
    ['Project', app.spec.project ?? 'default'],
    ['Destination', `${destination.name ?? destination.server ?? ''} (namespace ${destination.namespace ?? '-'})`],
    ...sources.flatMap((source): (readonly [string, string])[] => [
      ['Repository', source.repoURL],
      ['Path', placeOf(source)],
      ['Target', source.targetRevision ?? 'HEAD'],
    ]),
    ...windowFacts(windows),
    ['Sync policy', syncPolicyOf(app)],
    ['Sync status', `${syncStatusOf(app)} (${shownRevisions(app.status?.sync) || 'no revision'})`],
    ['Health', `${healthOf(app)}${health === undefined || health === '' ? '' : `: ${health}`}`],
    ...(app.metadata.deletionTimestamp === undefined
      ? []
      : [['Deletion', `asked for at ${app.metadata.deletionTimestamp}; goes when its resources are gone`] as const]),
    ...(operation === undefined ? [] : [['Operation', `${operation.phase}: ${operation.message ?? ''}`] as const]),
  ]
}

/** The text of `app get`, also printed after a sync. */
function formatApp(app: App, details: AppDetails): string {
  const lines = facts(app, details).map(([label, value]) => `${`${label}:`.padEnd(18)}${value}`)
  const conditions = app.status?.conditions ?? []
  const resources = app.status?.resources ?? []
  if (conditions.length > 0)
    lines.push(
      '',
      formatTable(
        ['CONDITION', 'SINCE', 'MESSAGE'],
        conditions.map(({ type, lastTransitionTime = '', message }) => [type, lastTransitionTime, message]),
      ),
    )
  if (resources.length > 0)
    lines.push(
      '',
      formatTable(
        ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'STATUS', 'HEALTH', 'MESSAGE'],
        resources.map((item) => [
          item.group ?? '',
          item.kind,
          item.namespace ?? '',
          item.name,
          `${item.status ?? ''}${item.requiresPruning === true ? ' (requires pruning)' : ''}`,
          item.health?.status ?? '',
          item.health?.message ?? '',
        ]),
      ),
    )
  if (details.orphans.length > 0)
    lines.push(
      '',
      formatTable(
        ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'ORPHANED'],
        details.orphans.map(({ group = '', kind, namespace = '', name }) => [group, kind, namespace, name, 'Yes']),
      ),
    )
  return lines.join('\n')
}

export async function printApp(terminal: Terminal, output: string, { api, app }: Printed): Promise<void> {
  const details = await getDetails(api, app.metadata.name)
  printResult(terminal, parseOutputFormat(output), app, () => formatApp(app, details))
}

interface Printed {
  readonly api: DaemonApi
  readonly app: App
}

export function addGet(app: Command, { terminal, action }: Invocation): void {
  app
    .command('get <name>')
    .description('show an application')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--refresh', 'compare with the newest revision first')
    .option('--hard-refresh', 'the same, rendering again as well')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(
        async (name: string, options: { output: string; dataDir?: string; refresh?: true; hardRefresh?: true }) => {
          parseOutputFormat(options.output)
          const refresh = options.hardRefresh ? 'hard' : options.refresh ? 'normal' : undefined
          const api = connect(terminal, options)
          const found = await getApp(api, name, refresh)
          await printApp(terminal, options.output, { api, app: found })
          return exitCodeOf(found)
        },
      ),
    )
}
