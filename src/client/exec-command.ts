// A command that signs in at a server, as `users[].user.exec` of a kubeconfig describes it: what it prints is an ExecCredential.
// Pure: nothing is run here. Commands that want to ask somebody are refused, since nobody is there to answer.

import type { JsonObject } from '#objects'

export interface ExecCommand {
  /** Of the ExecCredential that it is given and prints. */
  readonly apiVersion: string
  /** A whole path, or a name that is looked for on PATH. */
  readonly command: string
  readonly arguments: readonly string[]
  /** Beside that of whoever started this process. */
  readonly environment: Readonly<Record<string, string>>
  /** What it is told of the cluster, where it asks for that. */
  readonly cluster?: JsonObject
  /** How to get the command, for people. */
  readonly installHint?: string
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']

/** Why the command cannot be run here. */
export function execFault(
  { apiVersion, command }: Pick<ExecCommand, 'apiVersion' | 'command'>,
  interactiveMode?: unknown,
): string | undefined {
  if (command === '') return 'exec names no command'
  if (!apiVersions.includes(apiVersion))
    return `exec has the apiVersion ${JSON.stringify(apiVersion)}, which is none of ${apiVersions.join(', ')}`
  if (interactiveMode === 'Always')
    return `the command ${command} wants to ask somebody (interactiveMode: Always), and nobody is there: sign in with it beforehand, and use IfAvailable`
  return undefined
}
