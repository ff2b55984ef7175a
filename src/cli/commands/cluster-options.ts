// Which clusters beside the built-in one `up` and `demo` may deploy to: contexts of a kubeconfig, each named by whoever starts
// it. Nothing is taken from a kubeconfig that nobody asked for.

import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { type Connection, contextsOf, KubeconfigError, readKubeconfigFile } from '#client'
import type { DaemonOptions } from '#daemon'
import { type ClusterCommands, findProgram, type NamedContext, serverFault } from '#gitops'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { whyUnread } from '../unread.ts'
import type { ClusterFlags } from './cluster-flags.ts'

type Named = NamedContext

/** The checked part of the daemon's options. Throws CommandError (usage) for what makes no sense. */
export function clusterPart(terminal: Terminal, flags: ClusterFlags): Pick<DaemonOptions, 'clusters'> {
  const trustsGit = flags.clustersFromGit === true
  try {
    const contexts = wantedContexts(terminal, flags)
    assertDifferent(contexts)
    return { clusters: { contexts, trustsGit, commands: wantedCommands(terminal, flags) } }
  } catch (error) {
    if (error instanceof KubeconfigError) throw new CommandError(error.message, exitCode.usage)
    throw error
  }
}

/** Programs that are not there are told now, not when a cluster needs them. */
function wantedCommands({ env }: Terminal, flags: ClusterFlags): ClusterCommands {
  const commands = (flags.clusterCommand ?? []).map((text) => {
    const words = text.split(/\s+/).filter((word) => word !== '')
    const [program = ''] = words
    if (findProgram(program, env['PATH']) !== undefined) return words
    throw new CommandError(
      `--cluster-command "${text}": ${program} is neither on PATH nor the whole path of a program`,
      exitCode.usage,
    )
  })
  return { commands, variables: flags.clusterCommandEnv ?? [] }
}

function wantedContexts(terminal: Terminal, flags: ClusterFlags): readonly Named[] {
  const names = flags.context ?? []
  if (flags.allContexts !== true && names.length === 0) {
    if (flags.kubeconfig === undefined) return []
    throw new CommandError(
      `--kubeconfig ${flags.kubeconfig}: say which of its contexts applications may deploy to, with --context NAME or --all-contexts`,
      exitCode.usage,
    )
  }
  const files = filesOf(terminal, flags.kubeconfig)
  const wanted =
    flags.allContexts === true ? files.flatMap((file) => contextsIn(file).map((name) => ({ file, name }))) : []
  for (const name of names) {
    const file = files.find((each) => contextsIn(each).includes(name))
    if (file === undefined)
      throw new CommandError(`--context ${name}: there is no such context in ${files.join(', ')}`, exitCode.usage)
    wanted.push({ file, name })
  }
  return [...new Map(wanted.map((each) => [each.name, each])).values()].map(named)
}

function filesOf({ cwd, env }: Terminal, kubeconfig: string | undefined): readonly string[] {
  if (kubeconfig !== undefined) return [resolve(cwd, kubeconfig)]
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  const files = listed.length > 0 ? listed : [join(env['HOME'] ?? '', '.kube', 'config')]
  const found = files.map((file) => resolve(cwd, file)).filter((file) => existsSync(file))
  if (found.length > 0) return found
  throw new CommandError(`there is no kubeconfig at ${files.join(', ')}: name one with --kubeconfig`, exitCode.usage)
}

function contextsIn(file: string): readonly string[] {
  try {
    return contextsOf(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`cannot read the kubeconfig ${file}: ${whyUnread(error)}`, exitCode.usage)
  }
}

function named({ file, name }: { readonly file: string; readonly name: string }): Named {
  const connection: Connection = readKubeconfigFile(file, name)
  const fault = serverFault(connection.server)
  if (fault !== undefined) throw new CommandError(`context ${name} of ${file}: ${fault}`, exitCode.usage)
  return { name, connection, origin: `the context ${name} of ${file}` }
}

/** Applications name a cluster by its address: two ways to one would be mixed up. */
function assertDifferent(contexts: readonly Named[]): void {
  for (const [index, { name, connection }] of contexts.entries()) {
    const other = contexts.slice(0, index).find((each) => each.connection.server === connection.server)
    if (other !== undefined)
      throw new CommandError(
        `contexts ${other.name} and ${name} lead to the same server ${connection.server}: name one of them with --context`,
        exitCode.usage,
      )
  }
}
