// Checks the options of `up` and `demo` before anything starts, and makes the daemon's of them. Loaded when the daemon is
// wanted: it takes the reconciler along, which other commands need not wait for.

import { isAbsolute, resolve } from 'node:path'
import type { DaemonOptions, RepositoryOptions } from '#daemon'
import { wishFault } from '#gitops'
import { describeFaults } from '#objects'
import { parseSchedulerConfig } from '#scheduler'
import { dataDirOf, toolsDirectory } from '../connect.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import { number } from '../number.ts'
import type { Terminal } from '../terminal.ts'
import { admissionPart } from './admission-options.ts'
import { auditPart, readOptionFile } from './audit-options.ts'
import { clusterPart } from './cluster-options.ts'
import { refuseCredentialFaults } from './credential-faults.ts'
import { pluginsIn } from './plugin-options.ts'
import type { UpFlags } from './up-options.ts'

/** A URL stays as it is; a path becomes absolute from where the user stands. */
const locate = (terminal: Terminal, repository: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(repository) || /^[^/\\]+@[^/\\]+:/.test(repository) || isAbsolute(repository)
    ? repository
    : resolve(terminal.cwd, repository)

/** The checked options of the daemon. Throws CommandError (usage) for what makes no sense. */
export function daemonOptions(terminal: Terminal, flags: UpFlags, repository: string | undefined): DaemonOptions {
  if (flags.kubelet !== 'real' && flags.kubelet !== 'standin')
    throw new CommandError(`--kubelet ${flags.kubelet}: use real or standin`, exitCode.usage)
  refuseCredentialFaults(terminal)
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
    ...schedulerPart(terminal, flags.schedulerConfig),
    ...auditPart(terminal, flags),
    ...admissionPart(terminal, flags),
    ...clusterPart(terminal, flags),
    tools: {
      directory: toolsDirectory(terminal),
      environment: terminal.env,
      network: flags.renderNetwork === true,
    },
    plugins: pluginsIn(terminal, flags.plugins),
    aws: flags.aws === true,
    intervalSeconds: number('interval', flags.interval, { min: 0, whole: false }),
    ...repositoryPart(terminal, flags, repository),
  }
}

function schedulerPart(terminal: Terminal, file: string | undefined): Pick<DaemonOptions, 'scheduler'> {
  if (file === undefined) return {}
  const { config, faults } = parseSchedulerConfig(readOptionFile(terminal, '--scheduler-config', file))
  if (config === undefined) throw new CommandError(describeFaults(file, faults), exitCode.usage)
  return { scheduler: config }
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
