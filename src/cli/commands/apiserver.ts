// `homeostat apiserver`: an API server alone, for those who test their own controllers, until SIGTERM or Ctrl-C. The first
// line of its output is the kubeconfig's path, or with -o json an object on one line; it comes when clients may enter.

import { resolve } from 'node:path'
import type { ApiServerAddresses, ApiServerOptions } from '#daemon/apiserver'
import type { CommandDefinition } from '../command.ts'
import { dataDirOf } from '../connect.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import { number } from '../number.ts'
import type { Terminal } from '../terminal.ts'
import { untilStopped } from '../until-stopped.ts'
import { addServerOptions, type ServerFlags } from './server-options.ts'

interface ApiServerFlags extends ServerFlags {
  readonly nodes: string
  readonly loops: string
  readonly ephemeral?: true
  readonly apiPort: string
  readonly listen: string
  readonly dataDir?: string
  readonly kubeconfig?: string
  readonly speed: string
  readonly seed?: string
  readonly instant?: true
  readonly output?: string
}

/** The checked options. Throws CommandError (usage) for what makes no sense. */
export async function apiServerOptions(terminal: Terminal, flags: ApiServerFlags): Promise<ApiServerOptions> {
  const { dataDir, seed, kubeconfig } = flags
  const { admissionPart } = await import('./admission-options.ts')
  const { auditPart } = await import('./audit-options.ts')
  const ephemeral = flags.ephemeral === true
  if (kubeconfig === '') throw new CommandError('--kubeconfig is an empty text: give a file', exitCode.usage)
  return {
    ...(ephemeral && dataDir === undefined ? {} : { dataDir: dataDirOf(terminal, dataDir) }),
    ephemeral,
    listen: flags.listen,
    apiPort: number('api-port', flags.apiPort, { min: 0, max: 65535 }),
    ...(kubeconfig === undefined ? {} : { kubeconfig: resolve(terminal.cwd, kubeconfig) }),
    nodes: number('nodes', flags.nodes, { min: 0, max: 10000 }),
    loops: loopChoice(flags.loops),
    speed: number('speed', flags.speed, { min: 0.01, max: 10000, whole: false }),
    ...(seed === undefined ? {} : { seed: number('seed', seed, { min: 0 }) }),
    instant: flags.instant === true,
    ...auditPart(terminal, flags),
    ...admissionPart(terminal, flags),
  }
}

function loopChoice(text: string): ApiServerOptions['loops'] {
  if (text === 'none' || text === 'all') return text
  const names = text.split(',').map((name) => name.trim())
  if (names.some((name) => name === '' || name === 'none' || name === 'all'))
    throw new CommandError(`--loops ${text}: give none, all, or names with commas between`, exitCode.usage)
  return names
}

const lineOf = (addresses: ApiServerAddresses, isJson: boolean): string =>
  isJson ? JSON.stringify({ ...addresses, pid: process.pid }) : addresses.kubeconfig

export const apiServerCommand: CommandDefinition = (program, { terminal, action }) => {
  const command = program
    .command('apiserver')
    .description('run an API server alone, to test controllers against, until SIGTERM or Ctrl-C')
    .option('--loops <names>', 'which of the cluster’s loops run: none, all, or names with commas between', 'none')
    .option('--nodes <count>', 'number of simulated nodes; they need the loop kubelet-node', '0')
    .option('--ephemeral', 'keep the cluster in memory only, and leave nothing behind')
    .option('--api-port <port>', 'port to listen on; 0 takes a free one', '0')
    .option('--listen <address>', 'address to listen on', '127.0.0.1')
    .option('--data-dir <folder>', 'where state is kept (default: HOMEOSTAT_DATA_DIR or .homeostat)')
    .option('--kubeconfig <file>', 'where the kubeconfig is written (default: in the data directory)')
    .option('--speed <factor>', 'how fast the cluster lives: 1 is real time', '1')
    .option('--seed <number>', 'seed of the cluster’s chance (names, uids, jitter)')
    .option('--instant', 'pull images and start containers without delay')
    .option('-o, --output <format>', 'json: kubeconfig, server, token and pid, on one line')
  addServerOptions(command).action(
    action(async (flags: ApiServerFlags) => {
      if (flags.output !== undefined && flags.output !== 'json')
        throw new CommandError(`-o ${flags.output}: use json, or leave it out`, exitCode.usage)
      const options = await apiServerOptions(terminal, flags)
      const daemon = await import('#daemon/apiserver')
      await untilStopped(terminal, daemon, () =>
        daemon.runApiServer(options, (addresses) => terminal.out(lineOf(addresses, flags.output === 'json'))),
      )
      return exitCode.ok
    }),
  )
}
