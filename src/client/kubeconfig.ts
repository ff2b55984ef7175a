// Reads a kubeconfig: which server, how to trust it, and who we are there. Files that it names are read relative to it;
// of the ways to sign in, tokens, token files, basic auth, client certificates and commands are known. Knows no transport.

import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { parse } from 'yaml'
import type { ExecCommand } from './exec-command.ts'
import { type ExecPlace, readExec } from './kubeconfig-exec.ts'
import { proxyFault } from './tunnel.ts'

/** Everything that is needed to speak to one server. */
export interface Connection {
  /** `https://127.0.0.1:6443`, perhaps with a path; no slash at the end. */
  readonly server: string
  /** PEM. Absent: the system's authorities. */
  readonly ca?: string
  readonly insecure?: boolean
  /** Name in the server's certificate, when it differs from the address. */
  readonly serverName?: string
  /** PEM. */
  readonly clientCertificate?: string
  readonly clientKey?: string
  /** Asked for at every request: a token file may change. */
  readonly token?: () => string
  readonly basic?: { readonly username: string; readonly password: string }
  /** What says who we are, where nothing else does: run by whoever makes the line to the server. */
  readonly exec?: ExecCommand
  /** The proxy that all requests go through. */
  readonly proxyUrl?: string
  /** Namespace of the context. */
  readonly namespace: string
}

export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
}

interface Entry {
  readonly name?: string
  readonly [field: string]: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** The connection of a context (default: the current one) of a kubeconfig file. */
export function readKubeconfigFile(file: string, context?: string): Connection {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new KubeconfigError(`cannot read the kubeconfig ${file}: ${(error as Error).message}`, { cause: error })
  }
  return readKubeconfig(text, { folder: dirname(file), ...(context === undefined ? {} : { context }) })
}

export interface ParseOptions {
  readonly context?: string
  /** Where relative file names start. */
  readonly folder?: string
}

/** Names of the contexts, the current one first. */
export function contextsOf(text: string): readonly string[] {
  const config = asFields(parse(text), 'the kubeconfig')
  const names = listOf(config, 'contexts').map((entry) => String(entry.name ?? ''))
  const current = config['current-context']
  return typeof current === 'string' && names.includes(current)
    ? [current, ...names.filter((name) => name !== current)]
    : names
}

/** The connection of a context of a kubeconfig that has been read already. */
export function readKubeconfig(text: string, options: ParseOptions = {}): Connection {
  const config = asFields(parse(text), 'the kubeconfig')
  const wanted = options.context ?? config['current-context']
  if (typeof wanted !== 'string' || wanted === '') throw new KubeconfigError('the kubeconfig names no current-context')
  const context = asFields(named(config, 'contexts', wanted)['context'], `context ${wanted}`)
  const clusterName = String(context['cluster'] ?? '')
  const cluster = asFields(named(config, 'clusters', clusterName)['cluster'], `cluster ${clusterName}`)
  const userName = context['user']
  const user =
    userName === undefined || userName === ''
      ? {}
      : asFields(named(config, 'users', String(userName))['user'], `user ${userName}`)
  const server = cluster['server']
  if (typeof server !== 'string') throw new KubeconfigError(`cluster ${clusterName} has no server`)
  const proxyUrl = textOf(cluster['proxy-url'])
  const badProxy = proxyUrl === undefined ? undefined : proxyFault(proxyUrl)
  if (badProxy !== undefined) throw new KubeconfigError(`cluster ${clusterName}: proxy-url: ${badProxy}`)
  const folder = options.folder ?? '.'
  const ca = pem(cluster, 'certificate-authority', folder)
  return {
    server: server.replace(/\/+$/, ''),
    ...present('ca', ca),
    ...present('proxyUrl', proxyUrl),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecure: true } : {}),
    ...present('serverName', textOf(cluster['tls-server-name'])),
    ...credentials(user, `user ${String(userName)}`, { folder, cluster, ca }),
    namespace: textOf(context['namespace']) ?? 'default',
  }
}

function credentials(user: Fields, where: string, place: ExecPlace): Partial<Connection> {
  if (user['auth-provider'] !== undefined)
    throw new KubeconfigError(
      `${where}: signing in by auth-provider is not supported; use exec, a token or a certificate`,
    )
  const { folder } = place
  const token = textOf(user['token'])
  const tokenFile = textOf(user['tokenFile'])
  const username = textOf(user['username'])
  const fixed = {
    ...present('clientCertificate', pem(user, 'client-certificate', folder)),
    ...present('clientKey', pem(user, 'client-key', folder)),
    ...(token !== undefined
      ? { token: () => token }
      : tokenFile === undefined
        ? {}
        : { token: () => readFileSync(inFolder(tokenFile, folder), 'utf8').trim() }),
    ...(username === undefined ? {} : { basic: { username, password: textOf(user['password']) ?? '' } }),
  }
  if (user['exec'] === undefined || user['exec'] === null || Object.keys(fixed).length > 0) return fixed
  const exec = readExec(asFields(user['exec'], `${where}: exec`), place)
  if (typeof exec === 'string') throw new KubeconfigError(`${where}: ${exec}`)
  return { exec }
}

/** `<name>-data` (base64) or the file `<name>`. */
function pem(fields: Fields, name: string, folder: string): string | undefined {
  const inline = textOf(fields[`${name}-data`])
  if (inline !== undefined) return Buffer.from(inline, 'base64').toString('utf8')
  const file = textOf(fields[name])
  if (file === undefined) return undefined
  try {
    return readFileSync(inFolder(file, folder), 'utf8')
  } catch (error) {
    throw new KubeconfigError(`cannot read ${name}: ${(error as Error).message}`, { cause: error })
  }
}

const inFolder = (file: string, folder: string): string => (isAbsolute(file) ? file : join(folder, file))

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const present = <K extends keyof Connection>(key: K, value: string | undefined): Partial<Connection> =>
  value === undefined ? {} : { [key]: value }

function asFields(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new KubeconfigError(`${where} is not a mapping`)
  return value as Fields
}

const listOf = (config: Fields, list: string): readonly Entry[] =>
  Array.isArray(config[list]) ? (config[list] as readonly Entry[]) : []

function named(config: Fields, list: string, name: string): Entry {
  const found = listOf(config, list).find((entry) => entry.name === name)
  if (found === undefined) throw new KubeconfigError(`the kubeconfig has no entry ${name} under ${list}`)
  return found
}
