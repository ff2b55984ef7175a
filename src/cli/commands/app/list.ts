// `homeostat app list`: every application with its sync and health.

import type { Command } from 'commander'
import { shownRevisions, sourcesIn } from '#kinds'
import type { Invocation } from '../../command.ts'
import { connect } from '../../connect.ts'
import { formatTable, parseOutputFormat, printResult } from '../../output.ts'
import { type App, exitCodeOf, healthOf, placeOf, syncPolicyOf, syncStatusOf } from './application.ts'

export function addList(app: Command, { terminal, action }: Invocation): void {
  app
    .command('list')
    .description('list applications')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (options: { output: string; dataDir?: string }) => {
        const format = parseOutputFormat(options.output)
        const { items } = await connect(terminal, options).call<{ items: readonly App[] | null }>(
          'GET',
          '/applications',
        )
        const apps = items ?? []
        printResult(terminal, format, apps, () =>
          apps.length === 0
            ? 'No applications.'
            : formatTable(
                ['NAME', 'PROJECT', 'STATUS', 'HEALTH', 'SYNCPOLICY', 'REVISION', 'PATH', 'CONDITIONS'],
                apps.map((item) => [
                  item.metadata.name,
                  item.spec.project ?? 'default',
                  syncStatusOf(item),
                  healthOf(item),
                  syncPolicyOf(item),
                  shownRevisions(item.status?.sync),
                  sourcesIn(item.spec).map(placeOf).join(',') || '.',
                  [...new Set((item.status?.conditions ?? []).map(({ type }) => type))].join(',') || '<none>',
                ]),
              ),
        )
        return exitCodeOf(...apps)
      }),
    )
}
