// Checks the options of `check` and `plan` before anything starts. Loaded when one of them runs: it takes the reconciler along.

import { basename, resolve } from 'node:path'
import { urlFault, wishFault } from '#gitops'
import { parseDuration, type RehearsalOptions, readObjects, UsageError } from '#lab'
import type { AnyObject } from '#objects'
import { toolsDirectory } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { number } from '../../number.ts'
import type { Terminal } from '../../terminal.ts'
import { webhookHosts } from '../admission-options.ts'
import { refuseCredentialFaults } from '../credential-faults.ts'
import { pluginsIn } from '../plugin-options.ts'
import type { RehearsalFlags } from './flags.ts'

/** npm gives up soon where there is no network: nothing shall hang. */
const impatientNpm = { npm_config_fetch_retries: '1', npm_config_fetch_timeout: '30000' }

/** A variable that is not set must not stand for HEAD: a gate would compare a commit with itself. */
export function refuseEmpty(flags: Readonly<Record<string, string | readonly string[] | undefined>>): void {
  for (const [name, value] of Object.entries(flags))
    if (value === '' || (Array.isArray(value) && value.includes('')))
      throw new CommandError(`--${name} is an empty text: give a name, or leave it out`, exitCode.usage)
}

/** Throws CommandError (usage) for what makes no sense. */
export function rehearsalOptions(terminal: Terminal, repository: string, flags: RehearsalFlags): RehearsalOptions {
  const location = locate(terminal, repository)
  const fault = wishFault({ repository: location, ...(flags.path === undefined ? {} : { path: flags.path }) })
  if (fault !== undefined) throw new CommandError(fault, exitCode.usage)
  const { path, branch } = flags
  refuseEmpty({ branch })
  refuseCredentialFaults(terminal)
  return {
    name: basename(location) === '' ? location : basename(location),
    location,
    ...(path === undefined ? {} : { path }),
    ...(branch === undefined ? {} : { branches: branch }),
    checkouts: (flags.map ?? []).map((text) => checkout(terminal, text)),
    given: (flags.with ?? []).flatMap((file) => given(terminal, file)),
    limitMs: usage('--timeout', () => parseDuration(flags.timeout)),
    nodes: number('nodes', flags.nodes, { min: 1, max: 10000 }),
    ...(flags.seed === undefined ? {} : { seed: number('seed', flags.seed, { min: 0 }) }),
    tools: {
      directory: toolsDirectory(terminal),
      environment: { ...impatientNpm, ...terminal.env },
      say: (text) => terminal.err(text),
    },
    plugins: pluginsIn(terminal, flags.plugins),
    network: flags.renderNetwork === true,
    webhookHosts: webhookHosts(flags.webhookHost),
    assumesKinds: flags.assumeKinds === true,
  }
}

/** A commit is played from a checkout: what is elsewhere has to be cloned first. */
function locate(terminal: Terminal, repository: string): string {
  if (repository === '') throw new CommandError('the repository is an empty text: give a path', exitCode.usage)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(repository) || /^[^/\\]+@[^/\\]+:/.test(repository))
    throw new CommandError(`${repository} is not on this machine: clone it and give the path`, exitCode.usage)
  return resolve(terminal.cwd, repository)
}

function checkout(terminal: Terminal, text: string): { readonly url: string; readonly path: string } {
  const at = text.lastIndexOf('=')
  const [url, path] = [text.slice(0, at), text.slice(at + 1)]
  const fault = at <= 0 || path === '' ? 'give URL=PATH' : urlFault(url)
  if (fault !== undefined) throw new CommandError(`--map ${text}: ${fault}`, exitCode.usage)
  return { url, path: resolve(terminal.cwd, path) }
}

const given = (terminal: Terminal, file: string): readonly AnyObject[] =>
  usage('--with', () => readObjects(terminal.cwd, file))

function usage<T>(option: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof UsageError) throw new CommandError(`${option}: ${error.message}`, exitCode.usage)
    throw error
  }
}
