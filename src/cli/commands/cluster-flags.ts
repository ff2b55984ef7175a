// The options by which `up` and `demo` are told of clusters beside the built-in one. cluster-options.ts checks them.

import type { Command } from 'commander'

export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: readonly string[]
  readonly allContexts?: true
  readonly clustersFromGit?: true
}

const append = (name: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), name]

export const addClusterOptions = (command: Command): Command =>
  command
    .option('--context <name>', 'let applications deploy to this context of a kubeconfig too; repeatable', append)
    .option('--all-contexts', 'let applications deploy to every context of the kubeconfig')
    .option('--kubeconfig <file>', 'where contexts are read from (default: KUBECONFIG or ~/.kube/config)')
    .option('--clusters-from-git', 'also reach clusters whose Secrets come from a repository')
