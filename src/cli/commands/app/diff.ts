// `homeostat app diff NAME`: what a sync would change, field by field. Secrets arrive masked.

import type { Command } from 'commander'
import { stringify } from 'yaml'
import { lineDiff } from '#insight'
import type { Invocation } from '../../command.ts'
import { connect } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { parseOutputFormat, printResult } from '../../output.ts'
import { getApp, syncStatusOf } from './application.ts'

interface ManagedResource {
  readonly group?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly modified?: boolean
  readonly normalizedLiveState?: string
  readonly predictedLiveState?: string
  readonly liveState?: string
  readonly targetState?: string
  /** Why the cluster does not take what git says. */
  readonly refusal?: string
}

/** The text of a JSON state as YAML lines; an absent one has none. */
function yamlLines(state: string | undefined): readonly string[] {
  if (state === undefined || state === '' || state === 'null') return []
  return stringify(JSON.parse(state), { sortMapEntries: true }).trimEnd().split('\n')
}

/** One resource as a unified diff from live to what a sync would store; empty when nothing would change. */
export function formatResourceDiff(item: ManagedResource): string {
  const hasTarget = yamlLines(item.targetState).length > 0
  const live = yamlLines(item.normalizedLiveState ?? item.liveState)
  const wanted = hasTarget ? yamlLines(item.predictedLiveState ?? item.targetState) : []
  const lines = lineDiff(live, wanted)
  if (lines.length === 0 && item.refusal === undefined) return ''
  const path = [item.group, item.kind, item.namespace, item.name]
    .filter((part) => part !== undefined && part !== '')
    .join('/')
  const refused = item.refusal === undefined ? [] : [`the cluster refuses this: ${item.refusal}`]
  return [`===== ${path} ======`, ...refused, ...lines].join('\n')
}

export function addDiff(app: Command, { terminal, action }: Invocation): void {
  app
    .command('diff <name>')
    .description('show what a sync would change')
    .option('-o, --output <format>', 'table (a unified diff), json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (name: string, options: { output: string; dataDir?: string }) => {
        const format = parseOutputFormat(options.output)
        const api = connect(terminal, options)
        const app = await getApp(api, name)
        if (syncStatusOf(app) === 'Unknown') {
          const why = (app.status?.conditions ?? []).map(({ message }) => message)
          throw new CommandError(`${name} cannot be compared: ${why.join('; ') || 'it has not been looked at yet'}`)
        }
        const path = `/applications/${encodeURIComponent(name)}/managed-resources`
        const { items } = await api.call<{ items: readonly ManagedResource[] | null }>('GET', path)
        const changed = (items ?? []).filter(
          (item) => item.modified === true || yamlLines(item.targetState).length === 0,
        )
        const texts = changed.map(formatResourceDiff).filter((text) => text !== '')
        printResult(terminal, format, changed, () => texts.join('\n\n') || `${name}: no differences`)
        return changed.length === 0 ? exitCode.ok : exitCode.differs
      }),
    )
}
