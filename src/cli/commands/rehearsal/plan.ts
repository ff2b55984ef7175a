// `homeostat plan [REPO]`: what a change of a repository would do to the cluster, played in virtual time.

import type { CommandDefinition } from '../../command.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { addRehearsalOptions, type RehearsalFlags } from './flags.ts'
import { parseReportFormat, played, printReport } from './run.ts'

interface PlanFlags extends RehearsalFlags {
  readonly from?: string
  readonly to?: string
  readonly allowChanges?: true
}

const more = `
A simulated cluster is settled on one commit, then the same cluster is moved on to the other: immutable fields, webhooks,
quotas, pruning, waves and hooks show as they will show in the real one. The repository's own URL, with any branch, means
the commit that is played. No real cluster is asked, and no other repository unless --render-network is given.

Examples:
  homeostat plan                          this branch against where it has left the default branch
  homeostat plan --worktree               with the uncommitted files
  homeostat plan --from v1.4 --to v1.5
  homeostat plan --from HEAD~1            what the last commit does
  homeostat plan -o markdown > plan.md    a comment for the pull request
  homeostat plan --allow-changes          fails only if something will not be in order`

export const planCommand: CommandDefinition = (program, { terminal, action }) => {
  const command = program
    .command('plan [repository]')
    .description('say what a change of a repository would do to the cluster: play both commits in virtual time')
    .option('--from <revision>', 'commit to begin with (default: where TO has left the default branch)')
    .option('--to <revision>', 'commit to move on to (default: HEAD)')
    .option('--worktree', 'move on to the uncommitted files of the repository')
    .option('--allow-changes', 'exit with 0 when something changes and all will be in order')
    .addHelpText('after', more)
  addRehearsalOptions(command).action(
    action(async (repository: string | undefined, flags: PlanFlags) => {
      const format = parseReportFormat(flags.output)
      const { from, to, worktree = false, allowChanges = false } = flags
      if (worktree && to !== undefined)
        throw new CommandError('--worktree stands for the commit to move on to: leave --to out', exitCode.usage)
      const { refuseEmpty, rehearsalOptions } = await import('./options.ts')
      refuseEmpty({ from, to })
      const { runPlan } = await import('#lab')
      const { planTable } = await import('./plan-table.ts')
      const { planMarkdown } = await import('./plan-markdown.ts')
      const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }), worktree }
      const report = await played(() => runPlan({ ...rehearsalOptions(terminal, repository ?? '.', flags), ...range }))
      printReport(terminal, report, { format, table: planTable, markdown: planMarkdown })
      return report.inOrder && (allowChanges || !report.changes) ? exitCode.ok : exitCode.differs
    }),
  )
}
