// The command line: parses it, runs one command and turns every failure into one line and an exit code.

import { Command, CommanderError } from 'commander'
import { ApiError } from '#api'
import { RestlessFault } from '#world'
import { commands } from './commands/index.ts'
import { tellEndings, three, two } from './endings.ts'
import { CommandError, type ExitCode, exitCode } from './exit-code.ts'
import { packageVersion } from './package-version.ts'
import { processTerminal, type Terminal } from './terminal.ts'

const about = `GitOps with the cluster included: keeps a cluster converged on what a git repository says, and shows which loop is doing what. The cluster is a simulated Kubernetes 1.34 control plane in this process; kubectl and helm work on it.`

const more = `
Examples:
  homeostat demo                          try it: a repository, a cluster and a dashboard
  homeostat up . --path deploy            sync the folder "deploy" of the repository here
  homeostat up https://git.example.com/team/config.git --revision main
  homeostat check --worktree              what becomes of the files here, in virtual time
  homeostat plan -o markdown              what this branch would do to the cluster
  homeostat app list                      sync and health of every application
  homeostat app diff shop                 what a sync would change
  homeostat explain -n shop pod/web-1     which loop is stuck, and what gap it sees
  homeostat apiserver --ephemeral         an API server alone, to test controllers against
  KUBECONFIG=.homeostat/kubeconfig kubectl get pods -A

Exit codes:
  0  done, and what was asked about is in order
  1  done, and something differs from git or is not in order
  2  ${two}
  3  ${three}
Each command's --help says what is in order there.`

function programFor(terminal: Terminal, finish: (code: ExitCode) => void): Command {
  const program = new Command('homeostat')
    .description(about)
    .version(packageVersion(), '--version', 'print the version')
    .addHelpText('after', more)
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
  const action =
    <A extends readonly unknown[]>(run: (...args: A) => Promise<ExitCode>) =>
    async (...args: A) =>
      finish(await run(...args))
  for (const add of commands) add(program, { terminal, action })
  tellEndings(program)
  return program
}

function codeOf(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage
  if (error instanceof CommandError) {
    terminal.err(`homeostat: ${error.message}`)
    return error.code
  }
  if (error instanceof ApiError) {
    terminal.err(`homeostat: the API server answered: ${error.message}`)
    return exitCode.failed
  }
  terminal.err(`homeostat: this is a fault of Homeostat, please report it with what you ran: ${told(error)}`)
  return exitCode.failed
}

/** Of what nobody foresaw, where it was; who turns in a circle is named by the message alone. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof RestlessFault ? error.message : (error.stack ?? error.message)
}

/** Runs one command line (without `node` and the script) and resolves with the exit code. */
export async function runCli(args: readonly string[], terminal: Terminal = processTerminal()): Promise<ExitCode> {
  let code: ExitCode = exitCode.ok
  const program = programFor(terminal, (result) => {
    code = result
  })
  if (args.length === 0) {
    program.outputHelp()
    return exitCode.usage
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return codeOf(error, terminal)
  }
}

export { exitCode } from './exit-code.ts'
export type { Terminal } from './terminal.ts'
