// `homeostat app sync NAME`: starts a sync operation and waits for its end.

import type { Command } from 'commander'
import type { Invocation } from '../../command.ts'
import { connect } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { parseOutputFormat } from '../../output.ts'
import { printApp } from './get.ts'
import { beginOperation, parseSeconds, waitForOperation } from './waiting.ts'

interface SyncOptions {
  readonly revision?: string
  readonly prune?: true
  readonly dryRun?: true
  readonly force?: true
  readonly resource?: readonly string[]
  readonly async?: true
  readonly timeout: string
  readonly output: string
  readonly dataDir?: string
}

/** `GROUP:KIND:NAME` or `GROUP:KIND:NAMESPACE/NAME`, as in Argo CD. */
export function parseResource(text: string): { group: string; kind: string; namespace?: string; name: string } {
  const parts = text.split(':')
  const [group, kind, path] = parts
  if (parts.length !== 3 || !kind || !path)
    throw new CommandError(
      `--resource ${text}: give GROUP:KIND:[NAMESPACE/]NAME, with an empty group for the core kinds`,
      exitCode.usage,
    )
  const slash = path.indexOf('/')
  return slash < 0
    ? { group: group ?? '', kind, name: path }
    : { group: group ?? '', kind, namespace: path.slice(0, slash), name: path.slice(slash + 1) }
}

const requestOf = (options: SyncOptions): object => ({
  ...(options.revision === undefined ? {} : { revision: options.revision }),
  ...(options.prune ? { prune: true } : {}),
  ...(options.dryRun ? { dryRun: true } : {}),
  ...(options.force ? { strategy: { hook: { force: true } } } : {}),
  ...(options.resource === undefined ? {} : { resources: options.resource.map(parseResource) }),
})

export function addSync(app: Command, { terminal, action }: Invocation): void {
  app
    .command('sync <name>')
    .description('sync an application to git and wait for the end')
    .option('--revision <revision>', 'sync to this branch, tag or commit')
    .option('--prune', 'delete what is no longer in git')
    .option('--dry-run', 'say what would be done, without doing it')
    .option('--force', 'delete and create again what cannot be updated')
    .option('--resource <GROUP:KIND:NAME...>', 'sync only these')
    .option('--async', 'do not wait')
    .option('--timeout <seconds>', 'give up waiting after this time; 0 for no limit', '0')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (name: string, options: SyncOptions) => {
        parseOutputFormat(options.output)
        const timeoutSeconds = parseSeconds(options.timeout)
        const request = requestOf(options)
        const api = connect(terminal, options)
        await beginOperation(api, { name, verb: 'sync', request })
        if (options.async) return exitCode.ok
        const after = await waitForOperation(terminal, api, { name, timeoutSeconds })
        await printApp(terminal, options.output, { api, app: after })
        return after.status?.operationState?.phase === 'Succeeded' ? exitCode.ok : exitCode.failed
      }),
    )
}
