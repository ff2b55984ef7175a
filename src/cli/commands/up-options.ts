// The options that `up`, `demo` and `npm start -- …` share. They are checked in daemon-options.ts, which loads more.

import type { Command } from 'commander'
import { addClusterOptions, type ClusterFlags } from './cluster-flags.ts'
import { credentialHelp } from './credential-help.ts'
import { addServerOptions, type ServerFlags } from './server-options.ts'

export interface UpFlags extends ServerFlags, ClusterFlags {
  readonly revision?: string
  readonly path?: string
  readonly interval: string
  readonly worktree?: true
  readonly manual?: true
  readonly port: string
  readonly apiPort: string
  readonly listen: string
  readonly dataDir?: string
  readonly ephemeral?: true
  readonly nodes: string
  readonly speed: string
  readonly seed?: string
  readonly kubelet: string
  readonly instant?: true
  readonly schedulerConfig?: string
  readonly renderNetwork?: true
  readonly plugins?: string
  readonly aws?: true
}

/** Adds the shared options to a command. */
export function addUpOptions(command: Command): Command {
  const own = command
    .option('--revision <revision>', 'branch, tag or commit to follow (default: HEAD)')
    .option('--path <folder>', 'folder of the repository to sync (default: its root)')
    .option('--interval <seconds>', 'how often a remote is asked for changes, plus up to half of it as jitter', '120')
    .option('--worktree', 'follow the uncommitted files of a local repository')
    .option('--manual', 'only compare: do not sync or heal automatically')
    .option('--port <port>', 'port of the dashboard; 0 takes a free one', '7080')
    .option('--api-port <port>', 'port of the Kubernetes API; 0 takes a free one', '7443')
    .option('--listen <address>', 'address to listen on', '127.0.0.1')
    .option('--data-dir <folder>', 'where state is kept (default: HOMEOSTAT_DATA_DIR or .homeostat)')
    .option('--ephemeral', 'keep the cluster in memory only')
    .option('--nodes <count>', 'number of simulated nodes', '3')
    .option('--speed <factor>', 'how fast the cluster lives: 1 is real time', '1')
    .option('--seed <number>', 'seed of the cluster’s chance (names, uids, jitter)')
    .option('--kubelet <kind>', 'real, or standin (a much simpler one for replaying recordings)', 'real')
    .option('--scheduler-config <file>', 'profiles of the scheduler: a KubeSchedulerConfiguration (v1)')
    .option('--instant', 'pull images and start containers without delay')
    .option('--render-network', 'let kustomize, helm and plug-ins load remote bases, dependencies and values')
    .option('--plugins <file>', 'config management plug-ins that may run: documents of kind ConfigManagementPlugin')
    .option('--aws', 'let generators of ApplicationSets ask AWS with the keys of the environment')
  return addServerOptions(addClusterOptions(own)).addHelpText('after', credentialHelp)
}
