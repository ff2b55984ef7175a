// Credentials from the environment: HOMEOSTAT_REPO_URL says where they may be shown, HOMEOSTAT_REPO_TOKEN and the like what is
// shown there. A name in between (HOMEOSTAT_REPO_TEAM_URL, HOMEOSTAT_REPO_TEAM_TOKEN) makes a set of its own. Without a URL they
// are for what a person has named on the command line alone: a repository cannot lead a token to a host that nobody named.

import { readFileSync } from 'node:fs'
import { credentialPrefix } from '#gitops/tools'
import { accessKey, isBelowAccessKey } from './access-key.ts'
import { type Credentials, urlFault } from './repo-url.ts'
import { SourceError } from './source-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface EnvironmentCredentials {
  /** What is wrong with the variables, with their names and without their values. */
  readonly faults: readonly string[]
  /** Of the longest URL that a remote is below; `isNamed` says that a person has named this very remote. */
  of(url: string, isNamed: boolean): Credentials | undefined
}

const fields = ['URL', 'USERNAME', 'PASSWORD', 'TOKEN', 'BEARER_TOKEN', 'SSH_KEY'] as const
type Field = (typeof fields)[number]
const secretFields = ['PASSWORD', 'TOKEN', 'BEARER_TOKEN', 'SSH_KEY'] as const satisfies readonly Field[]

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
    if (found.length > 0 || secretFields.every((field) => !set.given.has(field))) continue
    if (url !== undefined) set.key = accessKey(url.read())
    const twin = usable.find(({ key }) => key === set.key)
    if (twin !== undefined) faults.push(`${set.prefix}URL: ${twin.prefix}URL is the same: leave one of them out`)
    usable.push(set)
  }
  return {
    faults,
    of(url, isNamed) {
      const wanted = accessKey(url)
      if (wanted === undefined) return undefined
      const [longest] = usable
        .filter(({ key }) => key !== undefined && isBelowAccessKey(key, wanted))
        .sort((a, b) => (b.key?.length ?? 0) - (a.key?.length ?? 0))
      const found = longest ?? (isNamed ? usable.find(({ key }) => key === undefined) : undefined)
      return found === undefined ? undefined : credentialsIn(found, wanted.startsWith('ssh:'))
    },
  }
}

function gather(environment: Environment): { readonly sets: readonly CredentialSet[]; readonly faults: string[] } {
  const sets = new Map<string, CredentialSet>()
  const faults: string[] = []
  for (const [variable, value = ''] of Object.entries(environment)) {
    if (!variable.startsWith(credentialPrefix)) continue
    const { name = '', field, file } = shape.exec(variable)?.groups ?? {}
    const known = fields.find((each) => each === field)
    if (known === undefined || (file !== undefined && (known === 'URL' || known === 'USERNAME'))) {
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
  const url = given.get('URL')
  const shown = secretFields.flatMap((field) => given.get(field) ?? [])
  const [first, second] = shown
  if (first === undefined)
    return secretFields.some((field) => mentioned.has(field))
      ? []
      : [
          `${prefix}${url === undefined ? 'USERNAME' : 'URL'}: set ${secretFields.map((field) => prefix + field).join(', ')} or one of them with _FILE too`,
        ]
  if (second !== undefined) return [`${second.name}: ${first.name} is set too: leave one of them out`]
  if (url === undefined && prefix !== credentialPrefix)
    return [`${first.name}: set ${prefix}URL too: where it may be shown`]
  const sshKey = given.get('SSH_KEY')
  return [...(url === undefined ? [] : urlFaults(url, sshKey)), ...contentFaults(first, sshKey !== undefined)]
}

function urlFaults({ name, read }: Variable, sshKey: Variable | undefined): string[] {
  const key = accessKey(read())
  if (key === undefined) return [`${name}: ${urlFault(read()) ?? 'it must name what is not on this machine'}`]
  if (key.startsWith('ssh:') === (sshKey !== undefined)) return []
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
