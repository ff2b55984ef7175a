// Which commands cluster Secrets may sign in by: those that the operator allowed, word by word. A command never comes from a
// repository, even where what a repository says of clusters is believed otherwise. Pure.

import type { ExecCommand } from '#client'

/** What the operator allows. */
export interface ClusterCommands {
  /** The first words of a command; what follows them is the Secret's. */
  readonly commands: readonly (readonly string[])[]
  /** Environment variables that Secrets may set for them. */
  readonly variables: readonly string[]
}

export const noCommands: ClusterCommands = { commands: [], variables: [] }

/** Why a Secret may not sign in by a command. */
export function commandFault(exec: ExecCommand, { commands, variables }: ClusterCommands): string | undefined {
  const words = [exec.command, ...exec.arguments]
  if (!commands.some((allowed) => allowed.every((word, at) => words[at] === word)))
    return `its config signs in by the command ${exec.command}, which a Secret may only do if homeostat is started with --cluster-command ${suggested(words)}: allow it, or use bearerToken or a client certificate`
  const other = Object.keys(exec.environment).find((name) => !variables.includes(name))
  return other === undefined
    ? undefined
    : `its config sets the variable ${other} for the command ${exec.command}, which a Secret may only do if homeostat is started with --cluster-command-env ${other}`
}

const awsWords = ['eks', 'get-token'] as const

/** Only what is known by heart is repeated: other words may be secret. */
const suggested = ([command = '', ...rest]: readonly string[]): string =>
  awsWords.every((word, at) => rest[at] === word) ? `"${command} ${awsWords.join(' ')}"` : `"${command} …"`

export interface AwsAuth {
  readonly clusterName: string
  readonly roleARN?: string | undefined
  readonly profile?: string | undefined
}

/** Argo CD asks its own `argocd-k8s-auth` for this; the AWS command line gives the same token. */
export const awsCommand = ({ clusterName, roleARN, profile }: AwsAuth): ExecCommand => ({
  apiVersion: 'client.authentication.k8s.io/v1beta1',
  command: 'aws',
  arguments: [
    ...awsWords,
    ...['--cluster-name', clusterName],
    ...(roleARN === undefined ? [] : ['--role-arn', roleARN]),
    ...(profile === undefined ? [] : ['--profile', profile]),
  ],
  environment: {},
  installHint: 'It is the AWS command line, https://aws.amazon.com/cli',
})
