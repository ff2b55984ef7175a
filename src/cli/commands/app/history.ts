// `homeostat app history NAME` and `app rollback NAME [ID]`: what was deployed, and going back to it.

import type { Command } from 'commander'
import { shownRevisions } from '#kinds'
import type { Invocation } from '../../command.ts'
import { connect } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { formatTable, parseOutputFormat, printResult } from '../../output.ts'
import { type App, getApp } from './application.ts'
import { beginOperation, parseSeconds, waitForOperation } from './waiting.ts'

const byWhom = (entry: { readonly username?: string; readonly automated?: boolean } | undefined): string =>
  entry?.automated === true ? 'automated' : (entry?.username ?? '')

export function addHistory(app: Command, { terminal, action }: Invocation): void {
  app
    .command('history <name>')
    .description('list what was deployed')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (name: string, options: { output: string; dataDir?: string }) => {
        const format = parseOutputFormat(options.output)
        const history = (await getApp(connect(terminal, options), name)).status?.history ?? []
        printResult(terminal, format, history, () =>
          formatTable(
            ['ID', 'DATE', 'REVISION', 'BY'],
            history.map((entry) => [
              String(entry.id),
              entry.deployedAt ?? '',
              shownRevisions(entry),
              byWhom(entry.initiatedBy),
            ]),
          ),
        )
        return exitCode.ok
      }),
    )
}

/** The entry to go back to: the one named, or the one before the newest. */
export function rollbackTarget(app: App, id: string | undefined): number {
  const history = app.status?.history ?? []
  const entry = id === undefined ? history.at(-2) : history.find((item) => String(item.id) === id)
  if (entry !== undefined) return entry.id
  const known = history.map((item) => item.id).join(', ') || 'none'
  throw new CommandError(
    id === undefined
      ? `${app.metadata.name} was deployed ${history.length === 1 ? 'only once' : 'never'}: there is nothing to go back to`
      : `${app.metadata.name} has no deployment ${id} in its history (known: ${known})`,
  )
}

export function addRollback(app: Command, { terminal, action }: Invocation): void {
  app
    .command('rollback <name> [id]')
    .description('go back to an earlier deployment (default: the one before); switches automated sync off')
    .option('--prune', 'delete what that revision does not have')
    .option('--timeout <seconds>', 'give up waiting after this time; 0 for no limit', '0')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(
        async (name: string, id: string | undefined, options: { prune?: true; timeout: string; dataDir?: string }) => {
          const timeoutSeconds = parseSeconds(options.timeout)
          const api = connect(terminal, options)
          const before = await getApp(api, name)
          const target = rollbackTarget(before, id)
          const automated = before.spec.syncPolicy?.automated
          if (automated !== undefined && automated.enabled !== false)
            terminal.err(
              `${name}: automated sync is switched off, or it would undo the rollback; switch it on again in the Application's syncPolicy`,
            )
          const request = { id: target, prune: options.prune === true }
          await beginOperation(api, { name, verb: 'rollback', request })
          const after = await waitForOperation(terminal, api, { name, timeoutSeconds })
          const operation = after.status?.operationState
          terminal.out(
            `${name}: rolled back to ${target} (${shownRevisions(operation?.syncResult)}): ${operation?.phase}`,
          )
          return operation?.phase === 'Succeeded' ? exitCode.ok : exitCode.failed
        },
      ),
    )
}
