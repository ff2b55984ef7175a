// Says at the start what is wrong with credentials of repositories in the environment.

import { environmentCredentials } from '#gitops'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'

/** Throws CommandError (usage) that names the variables, never their values. */
export function refuseCredentialFaults({ env }: Terminal): void {
  const { faults } = environmentCredentials(env)
  if (faults.length > 0) throw new CommandError(faults.join('\n'), exitCode.usage)
}
