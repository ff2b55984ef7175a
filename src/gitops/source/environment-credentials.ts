// Credentials from the environment: HOMEOSTAT_REPO_URL says where they may be shown, HOMEOSTAT_REPO_TOKEN and the like what is
// shown there, HOMEOSTAT_REPO_DEPTH how much of their history is fetched. A name in between (HOMEOSTAT_REPO_TEAM_URL, HOMEOSTAT_REPO_TEAM_TOKEN) makes a set of its own. Without a URL they
// are for what a person has named on the command line alone: a repository cannot lead a token to a host that nobody named.

import { readFileSync } from 'node:fs'
import { credentialPrefix } from '#gitops/tools'
import { accessKey, isBelowAccessKey } from './access-key.ts'
import { isDepth } from './remote-access.ts'
import { type Credentials, urlFault } from './repo-url.ts'
import { SourceError } from './source-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface EnvironmentCredentials {
  /** What is wrong with the variables, with their names and without their values. */
  readonly faults: readonly string[]
  /** Of the longest URL that a remote is below; `isNamed` says that a person has named this very remote. */
  of(url: string, isNamed: boolean): Credentials | undefined
  /** How many commits of each history are fetched, as it was written; of the longest URL that has it. */
  depth(url: string, isNamed: boolean): string | undefined
}

const fields = ['URL', 'USERNAME', 'PASSWORD', 'TOKEN', 'BEARER_TOKEN', 'SSH_KEY', 'DEPTH'] as const
type Field = (typeof fields)[number]
const secretFields = ['PASSWORD', 'TOKEN', 'BEARER_TOKEN', 'SSH_KEY'] as const satisfies readonly Field[]

/** Of what is asked for one by one. */
const usedFields = [...secretFields, 'DEPTH'] as const
/** What a file may hold as well. */
const isFiled = (field: Field): boolean => secretFields.some((each) => each === field)

const shape = new RegExp(`^${credentialPrefix}(?:(?<name>[A-Z0-9_]*?)_)??(?<field>${fields.join('|')})(?<file>_FILE)?$`)

/** GitHub, GitLab, Gitea and Azure DevOps take a token with any name. */
const nameOfToken = 'x-access-token'

interface Variable {
  readonly name: string
  /** A text, or a file that is read at each use: it may be written anew while the process runs. */
  readonly read: () => string
}

/** The variables of one set that are not empty. */
interface CredentialSet {
  readonly prefix: string
  readonly given: Map<Field, Variable>
  /** Set, perhaps to nothing: CI gives pull requests from forks empty secrets. */
  readonly mentioned: Set<Field>
  key?: string | undefined
}

export function environmentCredentials(environment: Environment): EnvironmentCredentials {
  const { sets, faults } = gather(environment)
  const usable: CredentialSet[] = []
  for (const set of sets) {
    const url = set.given.get('URL')
    const found = faultsOf(set)
    faults.push(...found)
    if (found.length > 0 || usedFields.every((field) => !set.given.has(field))) continue
    if (url !== undefined) set.key = accessKey(url.read())
    const twin = usable.find(({ key }) => key === set.key)
    if (twin !== undefined) faults.push(`${set.prefix}URL: ${twin.prefix}URL is the same: leave one of them out`)
    usable.push(set)
  }
  const find = (url: string, isNamed: boolean, has: readonly Field[]): CredentialSet | undefined => {
    const wanted = accessKey(url)
    if (wanted === undefined) return undefined
    const sets = usable.filter(({ given }) => has.some((field) => given.has(field)))
    const [longest] = sets
      .filter(({ key }) => key !== undefined && isBelowAccessKey(key, wanted))
      .sort((a, b) => (b.key?.length ?? 0) - (a.key?.length ?? 0))
    return longest ?? (isNamed ? sets.find(({ key }) => key === undefined) : undefined)
  }
  return {
    faults,
    of(url, isNamed) {
      const found = find(url, isNamed, secretFields)
      return found === undefined ? undefined : credentialsIn(found, accessKey(url)?.startsWith('ssh:') === true)
    },
    depth: (url, isNamed) => find(url, isNamed, ['DEPTH'])?.given.get('DEPTH')?.read(),
  }
}

function gather(environment: Environment): { readonly sets: readonly CredentialSet[]; readonly faults: string[] } {
  const sets = new Map<string, CredentialSet>()
  const faults: string[] = []
  for (const [variable, value = ''] of Object.entries(environment)) {
    if (!variable.startsWith(credentialPrefix)) continue
    const { name = '', field, file } = shape.exec(variable)?.groups ?? {}
    const known = fields.find((each) => each === field)
    if (known === undefined || (file !== undefined && !isFiled(known))) {
      faults.push(
        `${variable}: no such variable: the last words are ${fields.join(', ')}, or ${secretFields[0]}_FILE etc.`,
      )
      continue
    }
    const prefix = `${credentialPrefix}${name === '' ? '' : `${name}_`}`
    const set = sets.get(prefix) ?? { prefix, given: new Map(), mentioned: new Set() }
    sets.set(prefix, set)
    set.mentioned.add(known)
    if (value === '') continue
    if (set.given.has(known))
      faults.push(`${variable}: ${set.given.get(known)?.name} is set too: leave one of them out`)
    const read = file === undefined ? () => value : () => contentOf(variable, value)
    set.given.set(known, { name: variable, read })
  }
  return { sets: [...sets.values()], faults }
}

function faultsOf(set: CredentialSet): string[] {
  const { prefix, given, mentioned } = set
  const [url, depth, sshKey] = [given.get('URL'), given.get('DEPTH'), given.get('SSH_KEY')]
  const [first, second] = secretFields.flatMap((field) => given.get(field) ?? [])
  const used = first ?? (given.has('USERNAME') ? undefined : depth)
  if (used === undefined)
    return usedFields.some((field) => mentioned.has(field) && !given.has(field))
      ? []
      : [
          `${prefix}${url === undefined ? 'USERNAME' : 'URL'}: set ${secretFields.map((field) => prefix + field).join(', ')} or one of them with _FILE too`,
        ]
  if (second !== undefined) return [`${second.name}: ${first?.name} is set too: leave one of them out`]
  if (url === undefined && prefix !== credentialPrefix)
    return [`${used.name}: set ${prefix}URL too: ${first === undefined ? 'what it is for' : 'where it may be shown'}`]
  return [
    ...(url === undefined ? [] : urlFaults(url, first === undefined ? 'any' : sshKey)),
    ...(first === undefined ? [] : contentFaults(first, sshKey !== undefined)),
    ...(depth === undefined || isDepth(depth.read())
      ? []
      : [`${depth.name}: it is no whole number: set how many commits are fetched`]),
  ]
}

function urlFaults({ name, read }: Variable, sshKey: Variable | 'any' | undefined): string[] {
  const key = accessKey(read())
  if (key === undefined) return [`${name}: ${urlFault(read()) ?? 'it must name what is not on this machine'}`]
  if (sshKey === 'any' || key.startsWith('ssh:') === (sshKey !== undefined)) return []
  return [
    sshKey === undefined
      ? `${name}: an ssh address is opened by SSH_KEY`
      : `${sshKey.name}: it is for ssh, and ${name} is no ssh address`,
  ]
}

function contentFaults(shown: Variable, isKey: boolean): string[] {
  try {
    const text = shown.read()
    const isFit = isKey ? text.includes('PRIVATE KEY-----') : !/[\r\n]/.test(text)
    return isFit
      ? []
      : [`${shown.name}: ${isKey ? 'it is no private key (PEM or OpenSSH)' : 'it has more than one line'}`]
  } catch (error) {
    if (error instanceof SourceError) return [error.message]
    throw error
  }
}

function contentOf(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read'
    throw new SourceError('Unreachable', `${variable}: ${path}: ${why}`)
  }
}

function credentialsIn({ given }: CredentialSet, isSsh: boolean): Credentials | undefined {
  const read = (field: Field): string | undefined => given.get(field)?.read()
  const sshPrivateKey = read('SSH_KEY')
  if (isSsh || sshPrivateKey !== undefined) return isSsh && sshPrivateKey !== undefined ? { sshPrivateKey } : undefined
  const bearerToken = read('BEARER_TOKEN')
  if (bearerToken !== undefined) return { bearerToken }
  const token = read('TOKEN')
  const username = read('USERNAME') ?? (token === undefined ? '' : nameOfToken)
  return { username, password: token ?? read('PASSWORD') ?? '' }
}
