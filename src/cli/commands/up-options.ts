// The options that `up`, `demo` and `npm start -- …` share: what each means, and checking them before anything starts.

import { isAbsolute, resolve } from 'node:path'
import type { Command } from 'commander'
import type { DaemonOptions, RepositoryOptions } from '#daemon'
import { wishFault } from '#gitops'
import { dataDirOf } from '../connect.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'

export interface UpFlags {
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
}

/** Adds the shared options to a command. */
export function addUpOptions(command: Command): Command {
  return command
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
    .option('--instant', 'pull images and start containers without delay')
}

function number(
  name: string,
  text: string,
  limits: { readonly min: number; readonly max?: number; readonly whole?: boolean },
): number {
  const value = Number(text)
  const { min, max = Number.POSITIVE_INFINITY, whole = true } = limits
  if (
    text.trim() === '' ||
    !Number.isFinite(value) ||
    value < min ||
    value > max ||
    (whole && !Number.isInteger(value))
  )
    throw new CommandError(
      `--${name} ${text}: give a ${whole ? 'whole ' : ''}number from ${min}${max === Number.POSITIVE_INFINITY ? '' : ` to ${max}`}`,
      exitCode.usage,
    )
  return value
}

/** A URL stays as it is; a path becomes absolute from where the user stands. */
const locate = (terminal: Terminal, repository: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(repository) || /^[^/\\]+@[^/\\]+:/.test(repository) || isAbsolute(repository)
    ? repository
    : resolve(terminal.cwd, repository)

/** The checked options of the daemon. Throws CommandError (usage) for what makes no sense. */
export function daemonOptions(terminal: Terminal, flags: UpFlags, repository: string | undefined): DaemonOptions {
  if (flags.kubelet !== 'real' && flags.kubelet !== 'standin')
    throw new CommandError(`--kubelet ${flags.kubelet}: use real or standin`, exitCode.usage)
  return {
    dataDir: dataDirOf(terminal, flags.dataDir),
    ephemeral: flags.ephemeral === true,
    listen: flags.listen,
    port: number('port', flags.port, { min: 0, max: 65535 }),
    apiPort: number('api-port', flags.apiPort, { min: 0, max: 65535 }),
    nodes: number('nodes', flags.nodes, { min: 0, max: 10000 }),
    speed: number('speed', flags.speed, { min: 0.01, max: 10000, whole: false }),
    ...(flags.seed === undefined ? {} : { seed: number('seed', flags.seed, { min: 0 }) }),
    kubelet: flags.kubelet,
    instant: flags.instant === true,
    intervalSeconds: number('interval', flags.interval, { min: 0, whole: false }),
    ...repositoryPart(terminal, flags, repository),
  }
}

function repositoryPart(
  terminal: Terminal,
  flags: UpFlags,
  repository: string | undefined,
): { readonly repository?: RepositoryOptions } {
  if (repository !== undefined) return { repository: repositoryOptions(terminal, flags, repository) }
  const idle = (['revision', 'path', 'worktree', 'manual'] as const).find((name) => flags[name] !== undefined)
  if (idle === undefined) return {}
  throw new CommandError(`--${idle} says how to follow a repository: name one`, exitCode.usage)
}

function repositoryOptions(terminal: Terminal, flags: UpFlags, repository: string): RepositoryOptions {
  if (repository === '') throw new CommandError('the repository is an empty text: give a path or a URL', exitCode.usage)
  const location = locate(terminal, repository)
  const wish = {
    ...(flags.revision === undefined ? {} : { revision: flags.revision }),
    ...(flags.path === undefined ? {} : { path: flags.path }),
  }
  const fault = wishFault({ repository: location, ...wish })
  if (fault !== undefined) throw new CommandError(fault, exitCode.usage)
  return { location, ...wish, worktree: flags.worktree === true, manual: flags.manual === true }
}
