// The options that `check` and `plan` share. They are checked in options.ts, which loads more.

import type { Command } from 'commander'
import { credentialHelp } from '../credential-help.ts'
import { addWebhookHostOption } from '../server-options.ts'

export interface RehearsalFlags {
  readonly path?: string
  readonly worktree?: true
  readonly branch?: readonly string[]
  readonly map?: readonly string[]
  readonly with?: readonly string[]
  readonly assumeKinds?: true
  readonly timeout: string
  readonly nodes: string
  readonly seed?: string
  readonly renderNetwork?: true
  readonly plugins?: string
  readonly webhookHost?: readonly string[]
  readonly output: string
}

const append = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value]

export const addRehearsalOptions = (command: Command): Command =>
  addWebhookHostOption(command, ', which are else not asked')
    .option('--path <folder>', 'folder of the repository to sync (default: its root)')
    .option(
      '--branch <name>',
      'only this branch (and HEAD) stands for the commit; repeatable (default: every branch does)',
      append,
    )
    .option('--map <url=path>', 'a checkout of another repository that Applications refer to; repeatable', append)
    .option('--with <file>', 'manifests that the cluster has already: a file or a folder; repeatable', append)
    .option('--assume-kinds', 'take kinds that nothing defines to be there, without a schema')
    .option('--timeout <duration>', 'virtual time to settle in, for each commit: 90s, 30m, 2h', '30m')
    .option('--nodes <count>', 'simulated nodes, each with room for 240 pods, 128 CPUs and 512Gi', '10')
    .option('--seed <number>', 'seed of the cluster’s chance: another interleaving (default: 1)')
    .option('--render-network', 'let other repositories, charts, remote bases and values be fetched')
    .option('--plugins <file>', 'config management plug-ins that may run: documents of kind ConfigManagementPlugin')
    .option('-o, --output <format>', 'table, json, yaml or markdown', 'table')
    .addHelpText('after', credentialHelp)
