// The options by which `up` and `demo` are told of clusters beside the built-in one. cluster-options.ts checks them.

import type { Command } from 'commander'

export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: readonly string[]
  readonly allContexts?: true
  readonly clustersFromGit?: true
  readonly clusterCommand?: readonly string[]
  readonly clusterCommandEnv?: readonly string[]
}

const append = (name: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), name]

export const addClusterOptions = (command: Command): Command =>
  command
    .option('--context <name>', 'let applications deploy to this context of a kubeconfig too; repeatable', append)
    .option('--all-contexts', 'let applications deploy to every context of the kubeconfig')
    .option('--kubeconfig <file>', 'where contexts are read from (default: KUBECONFIG or ~/.kube/config)')
    .option('--clusters-from-git', 'also reach clusters whose Secrets come from a repository')
    .option(
      '--cluster-command <words>',
      'let Secrets of clusters sign in by a command that begins with these words: "aws eks get-token"; repeatable',
      append,
    )
    .option('--cluster-command-env <name>', 'let them set this variable for such a command; repeatable', append)
