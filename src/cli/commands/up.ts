// `homeostat up [REPO]`: the cluster, the reconciler and the dashboard, until Ctrl-C.

import type { DaemonAddresses, DaemonOptions } from '#daemon'
import type { CommandDefinition } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { untilStopped } from '../until-stopped.ts'
import { addUpOptions, type UpFlags } from './up-options.ts'

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
  options: DaemonOptions,
  onReady: (addresses: DaemonAddresses) => void,
): Promise<void> {
  // Loaded now, so that commands that only ask a daemon something need not wait for it.
  const daemon = await import('#daemon')
  await untilStopped(terminal, daemon, () => daemon.runDaemon(options, onReady, (line) => terminal.err(line)))
}

export const upCommand: CommandDefinition = (program, { terminal, action }) => {
  addUpOptions(
    program
      .command('up [repository]')
      .description(
        'run the cluster and keep it converged on a repository (a path, an http(s) or an ssh URL) until Ctrl-C',
      ),
  ).action(
    action(async (repository: string | undefined, flags: UpFlags) => {
      const { daemonOptions } = await import('./daemon-options.ts')
      await serve(terminal, daemonOptions(terminal, flags, repository), (addresses) => announce(terminal, addresses))
      return exitCode.ok
    }),
  )
}
