// What a cluster Secret of Argo CD says (name, server, namespaces, config), as an entry. Commands that it names are run only
// where the operator allowed them, and what comes from a repository is only believed where the operator wants that: a repository
// that is tried out here must not reach the real clusters that it describes.

import { z } from 'zod'
import { type Connection, type ExecCommand, execFault, proxyFault } from '#client'
import { broughtBy } from '#gitops/diff'
import { argocdNamespace, builtInServer, Secret } from '#kinds'
import type { Cache, Index } from '#reconcile'
import { awsCommand, type ClusterCommands, commandFault } from './cluster-commands.ts'
import { type ClusterEntry, trimServer, type Way } from './cluster-entry.ts'

export const secretTypeLabel = 'argocd.argoproj.io/secret-type'
export const refreshAnnotation = 'argocd.argoproj.io/refresh'

export const isClusterSecret = ({ metadata }: Secret): boolean =>
  metadata.namespace === argocdNamespace && metadata.labels?.[secretTypeLabel] === 'cluster'

const secretIndex: Index<Secret> = {
  name: 'cluster-secret',
  kind: Secret,
  values: (secret) => (isClusterSecret(secret) ? ['cluster'] : []),
}

export interface Reading {
  /** Secrets that an application has brought count too. */
  readonly trustsGit: boolean
  /** By which Secrets may sign in. */
  readonly commands: ClusterCommands
}

/** Sorted by name, so that the same Secrets give the same order. */
export const describedClusters = (cache: Cache, reading: Reading): readonly ClusterEntry[] =>
  cache
    .by(secretIndex, 'cluster')
    .map((secret) => entryOf(secret, reading))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.server < b.server ? -1 : 1))

const remembered = new WeakMap<Secret, ClusterEntry>()

export function entryOf(secret: Secret, reading: Reading): ClusterEntry {
  const known = remembered.get(secret)
  const entry = known ?? readEntry(secret)
  if (known === undefined) remembered.set(secret, entry)
  const owner = broughtBy(secret)
  if (owner !== undefined && !reading.trustsGit) {
    const reason = `${entry.origin} ${comesFrom(owner)}, and clusters that a repository describes are not reached unless homeostat is started with --clusters-from-git`
    return { ...entry, way: { type: 'refused', reason, isUntrusted: true } }
  }
  const fault = entry.way.type === 'connection' ? commandTrustFault(entry.way.connection, owner, reading) : undefined
  return fault === undefined ? entry : { ...entry, way: { type: 'refused', reason: `${entry.origin} ${fault}` } }
}

/** `owner` is the application that brought the Secret from git. */
const comesFrom = (owner: string): string => `comes from git (application ${owner})`

/** Why the operator does not want a command to be run. */
function commandTrustFault({ exec }: Connection, owner: string | undefined, reading: Reading): string | undefined {
  if (exec === undefined) return undefined
  if (owner !== undefined) return `${comesFrom(owner)}, and no command is run that a repository names`
  const fault = commandFault(exec, reading.commands)
  return fault === undefined ? undefined : `is not used: ${fault}`
}

function readEntry(secret: Secret): ClusterEntry {
  const { name: secretName = '', annotations = {} } = secret.metadata
  const text = (field: string): string => Buffer.from(secret.data?.[field] ?? '', 'base64').toString('utf8')
  const server = trimServer(text('server').trim())
  const namespaces = text('namespaces')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const origin = `the Secret ${argocdNamespace}/${secretName}`
  return {
    server,
    name: text('name') === '' ? server : text('name'),
    project: text('project'),
    ...(namespaces.length === 0 ? {} : { namespaces }),
    clusterResources: text('clusterResources') === 'true',
    way: server === builtInServer ? { type: 'built-in' } : wayOf(server, text('config'), origin),
    origin,
    refresh: annotations[refreshAnnotation] ?? '',
  }
}

const maybeText = z
  .string()
  .nullish()
  .transform((value) => (value === null || value === '' ? undefined : value))

const tlsConfig = z.object({
  insecure: z.boolean().nullish(),
  serverName: maybeText,
  caData: maybeText,
  certData: maybeText,
  keyData: maybeText,
})

const execConfig = z.object({
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.record(z.string(), z.string()).nullish(),
  apiVersion: maybeText,
  installHint: maybeText,
})

const clusterConfig = z.object({
  username: maybeText,
  password: maybeText,
  bearerToken: maybeText,
  tlsClientConfig: tlsConfig.nullish(),
  proxyUrl: maybeText,
  execProviderConfig: execConfig.nullish(),
  awsAuthConfig: z.object({ clusterName: z.string(), roleARN: maybeText, profile: maybeText }).nullish(),
})

type Config = z.infer<typeof clusterConfig>

function wayOf(server: string, config: string, origin: string): Way {
  const reading = readConfig(config)
  const reason = typeof reading === 'string' ? reading : (serverFault(server) ?? configFault(reading))
  if (reason !== undefined || typeof reading === 'string') return { type: 'refused', reason: `${origin}: ${reason}` }
  return { type: 'connection', connection: connectionOf(server, reading) }
}

/** The config, or what is wrong with it. What stands in it is secret, so nothing of it is repeated. */
function readConfig(text: string): Config | string {
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch {
    return 'its config is no JSON'
  }
  const checked = clusterConfig.safeParse(value)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  return `its config is not understood: ${['config', ...(issue?.path ?? [])].map(String).join('.')} has the wrong type`
}

export function serverFault(server: string): string | undefined {
  if (server === '') return 'it names no server'
  if (!URL.canParse(server)) return `its server ${server} is no URL`
  const { protocol, username, password } = new URL(server)
  if (protocol !== 'https:' && protocol !== 'http:') return `its server must begin with https://, not ${protocol}//`
  return username === '' && password === '' ? undefined : 'its server must not hold a name and a password: use config'
}

function configFault({ execProviderConfig, awsAuthConfig, proxyUrl, tlsClientConfig }: Config): string | undefined {
  if (execProviderConfig && awsAuthConfig) return 'config has execProviderConfig and awsAuthConfig: use one of them'
  const exec = execProviderConfig ? execFault(commandOf(execProviderConfig)) : undefined
  if (exec !== undefined) return `config.execProviderConfig: ${exec}`
  const proxy = proxyUrl === undefined ? undefined : proxyFault(proxyUrl)
  if (proxy !== undefined) return `config.proxyUrl: ${proxy}`
  const { insecure, caData, certData, keyData } = tlsClientConfig ?? {}
  if (insecure === true && caData !== undefined)
    return 'config.tlsClientConfig has insecure and caData: specifying a root certificates file with the insecure flag is not allowed'
  if ((certData === undefined) !== (keyData === undefined))
    return 'config.tlsClientConfig needs certData and keyData together'
  for (const [field, value] of Object.entries({ caData, certData, keyData }))
    if (value !== undefined && !decoded(value).includes('-----BEGIN '))
      return `config.tlsClientConfig.${field} is not PEM in base64`
  return undefined
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')

const commandOf = ({ command, args, env, apiVersion = '', installHint }: z.infer<typeof execConfig>): ExecCommand => ({
  ...{ apiVersion, command, arguments: args ?? [], environment: env ?? {} },
  ...(installHint === undefined ? {} : { installHint }),
})

/** A token, password or certificate makes a command needless. */
function execOf({ tlsClientConfig, bearerToken, username, execProviderConfig, awsAuthConfig }: Config) {
  if (bearerToken !== undefined || username !== undefined || tlsClientConfig?.certData !== undefined) return {}
  if (awsAuthConfig) return { exec: awsCommand(awsAuthConfig) }
  return execProviderConfig ? { exec: commandOf(execProviderConfig) } : {}
}

function connectionOf(server: string, config: Config): Connection {
  const { tlsClientConfig, bearerToken, username, password, proxyUrl } = config
  const { insecure, serverName, caData, certData, keyData } = tlsClientConfig ?? {}
  return {
    server,
    namespace: 'default',
    ...(insecure === true ? { insecure } : {}),
    ...(serverName === undefined ? {} : { serverName }),
    ...(caData === undefined ? {} : { ca: decoded(caData) }),
    ...(certData === undefined ? {} : { clientCertificate: decoded(certData) }),
    ...(keyData === undefined ? {} : { clientKey: decoded(keyData) }),
    ...(bearerToken === undefined ? {} : { token: () => bearerToken }),
    ...(username === undefined ? {} : { basic: { username, password: password ?? '' } }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...execOf(config),
  }
}
