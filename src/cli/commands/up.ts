// `homeostat up [REPO]`: the cluster, the reconciler and the dashboard, until Ctrl-C.

import { type DaemonAddresses, DaemonError, runDaemon } from '#daemon'
import type { CommandDefinition } from '../command.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { addUpOptions, daemonOptions, type UpFlags } from './up-options.ts'

/** What a person needs after the start: where to look and how to use kubectl. */
export function announce(terminal: Terminal, addresses: DaemonAddresses): void {
  terminal.out(`dashboard   ${addresses.signIn}`)
  terminal.out(`            (this link signs you in once; without it the page is read-only)`)
  terminal.out(`Kubernetes  ${addresses.api}`)
  terminal.out(`kubeconfig  export KUBECONFIG=${addresses.kubeconfig}`)
}

/** Runs the daemon until it is told to stop; its failures become one line. */
export async function serve(
  terminal: Terminal,
  options: Parameters<typeof runDaemon>[0],
  onReady: (addresses: DaemonAddresses) => void,
): Promise<void> {
  try {
    await runDaemon(options, onReady, (line) => terminal.err(line))
  } catch (error) {
    if (error instanceof DaemonError) throw new CommandError(error.message, exitCode.failed, { cause: error })
    throw error
  }
  terminal.err('homeostat: stopped')
}

export const upCommand: CommandDefinition = (program, { terminal, action }) => {
  addUpOptions(
    program
      .command('up [repository]')
      .description('run the cluster and keep it converged on a repository (a path or an http(s) URL) until Ctrl-C'),
  ).action(
    action(async (repository: string | undefined, flags: UpFlags) => {
      await serve(terminal, daemonOptions(terminal, flags, repository), (addresses) => announce(terminal, addresses))
      return exitCode.ok
    }),
  )
}
