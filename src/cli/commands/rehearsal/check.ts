// `homeostat check [REPO]`: plays a repository in a simulated cluster, in virtual time, and says what becomes of it.

import type { CommandDefinition } from '../../command.ts'
import { exitCode } from '../../exit-code.ts'
import { addRehearsalOptions, type RehearsalFlags } from './flags.ts'
import { parseReportFormat, played, printReport } from './run.ts'

interface CheckFlags extends RehearsalFlags {
  readonly revision?: string
}

const more = `
The cluster is simulated in memory and in virtual time: ten minutes of a rollout take a moment, nothing is started,
nothing is sent. Applications, ApplicationSets and kustomizations in the repository are followed as "homeostat up" does;
Applications without automated sync are synced once. The repository's own URL, with any branch, means what is checked.

Examples:
  homeostat check                                 the last commit of the repository here
  homeostat check --worktree --path deploy        the uncommitted files of the folder "deploy"
  homeostat check --with crds/ --with secrets.yaml   with what the real cluster has beside the repository
  homeostat check -o json | jq '.applications[] | select(.inOrder | not)'`

export const checkCommand: CommandDefinition = (program, { terminal, action }) => {
  const command = program
    .command('check [repository]')
    .description('sync a repository in a simulated cluster, in virtual time, and say what becomes of it')
    .option('--revision <revision>', 'branch, tag or commit (default: HEAD)')
    .option('--worktree', 'the uncommitted files of the repository')
    .addHelpText('after', more)
  addRehearsalOptions(command).action(
    action(async (repository: string | undefined, flags: CheckFlags) => {
      const format = parseReportFormat(flags.output)
      const { refuseEmpty, rehearsalOptions } = await import('./options.ts')
      const { runCheck } = await import('#lab')
      const { checkMarkdown, checkTable } = await import('./check-text.ts')
      const { revision, worktree = false } = flags
      refuseEmpty({ revision })
      const options = { ...rehearsalOptions(terminal, repository ?? '.', flags), worktree }
      const report = await played(() => runCheck({ ...options, ...(revision === undefined ? {} : { revision }) }))
      printReport(terminal, report, { format, table: checkTable, markdown: checkMarkdown })
      return report.inOrder ? exitCode.ok : exitCode.differs
    }),
  )
}
