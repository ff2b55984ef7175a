// Local accounts as Argo CD keeps them: which there are and what they can do stands in argocd-cm (`accounts.NAME: apiKey, login`),
// passwords (as bcrypt hashes) and tokens in argocd-secret. The account `admin` is always there.

import { compare, hash } from 'bcryptjs'
import { z } from 'zod'
import type { Client } from '#client'
import { formatTime } from '#objects'
import { RestError } from '../rest-error.ts'
import { changeSecrets, readConfig, readSecrets, type Texts } from './settings.ts'

export interface AccountToken {
  readonly id: string
  readonly iat: number
  readonly exp?: number | undefined
}

export interface Account {
  readonly name: string
  readonly enabled: boolean
  readonly capabilities: readonly string[]
  readonly tokens: readonly AccountToken[]
  readonly passwordHash: string
  /** Milliseconds; tokens of logins from before it are not good any more. */
  readonly passwordChangedAt: number | undefined
}

export const accountConfigName = 'argocd-cm'
const adminName = 'admin'
const tokensSchema = z.array(z.object({ id: z.string(), iat: z.number(), exp: z.number().optional() }))

export async function readAccounts(client: Client): Promise<readonly Account[]> {
  const [config, secrets] = await Promise.all([readConfig(client, accountConfigName), readSecrets(client)])
  return accountsOf(config, secrets)
}

/** Throws RestError for an account that is not there. */
export async function readAccount(client: Client, name: string): Promise<Account> {
  const account = (await readAccounts(client)).find((each) => each.name === name)
  if (account === undefined) throw new RestError('notFound', `account '${name}' does not exist`)
  return account
}

export function accountsOf(config: Texts, secrets: Texts): readonly Account[] {
  const names = new Set([adminName])
  for (const key of Object.keys(config)) {
    const name = /^accounts\.([^.]+)$/.exec(key)?.[1]
    if (name !== undefined) names.add(name)
  }
  return [...names].map((name) => {
    const prefix = prefixOf(name)
    const own = config[`accounts.${name}`]
    const changed = Date.parse(secrets[`${prefix}.passwordMtime`] ?? '')
    return {
      name,
      enabled: config[name === adminName ? 'admin.enabled' : `accounts.${name}.enabled`] !== 'false',
      capabilities: own === undefined ? ['login'] : own.split(',').map((word) => word.trim()),
      tokens: tokensIn(secrets[`${prefix}.tokens`]),
      passwordHash: secrets[`${prefix}.password`] ?? '',
      passwordChangedAt: Number.isNaN(changed) ? undefined : changed,
    }
  })
}

const prefixOf = (name: string): string => (name === adminName ? 'admin' : `accounts.${name}`)

function tokensIn(text: string | undefined): readonly AccountToken[] {
  if (text === undefined || text === '') return []
  try {
    return tokensSchema.parse(JSON.parse(text))
  } catch {
    return []
  }
}

/** `decide` is told the tokens that there are at that moment, and may refuse by throwing. */
export async function changeAccountTokens(
  client: Client,
  { name }: Account,
  decide: (tokens: readonly AccountToken[]) => readonly AccountToken[],
): Promise<void> {
  const field = `${prefixOf(name)}.tokens`
  await changeSecrets(client, (known) => ({ [field]: JSON.stringify(decide(tokensIn(known[field]))) }))
}

const hashRounds = 10

/** From `now` (milliseconds) on only tokens count that are made later. */
export async function setPassword(
  client: Client,
  { name }: Account,
  { password, now }: { readonly password: string; readonly now: number },
): Promise<void> {
  const hashed = await hash(password, hashRounds)
  const prefix = prefixOf(name)
  await changeSecrets(client, () => ({ [`${prefix}.password`]: hashed, [`${prefix}.passwordMtime`]: formatTime(now) }))
}

export const canLogIn = ({ enabled, capabilities, passwordHash }: Account): boolean =>
  enabled && capabilities.includes('login') && passwordHash !== ''

const failuresMax = 5
const failureWindowMs = 300_000
const namesMax = 1000
const nameLengthMax = 32

/** Checks passwords; an account that was tried wrongly too often is left alone for a while. */
export class Logins {
  readonly #now: () => number
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Throws RestError unless the password is that of the account. */
  async check(client: Client, name: string, password: string): Promise<Account> {
    if (password === '') throw new RestError('unauthenticated', 'Blank passwords are not allowed')
    if (name.length > nameLengthMax)
      throw new RestError('invalidArgument', `Username is too long (${nameLengthMax} bytes max)`)
    const before = this.#failures.get(name)
    const isRecent = before !== undefined && this.#now() - before.at < failureWindowMs
    if (isRecent && before.count >= failuresMax) throw invalidLogin()
    const account = (await readAccounts(client)).find((each) => each.name === name)
    if (account === undefined || !(await isPassword(password, account.passwordHash))) {
      this.#note(name, isRecent ? before.count + 1 : 1)
      throw invalidLogin()
    }
    this.#failures.delete(name)
    if (!account.enabled) throw new RestError('unauthenticated', `Account ${name} is disabled`)
    if (!account.capabilities.includes('login'))
      throw new RestError('unauthenticated', `Account ${name} does not have login capability`)
    return account
  }

  #note(name: string, count: number): void {
    this.#failures.delete(name)
    this.#failures.set(name, { count, at: this.#now() })
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > namesMax && oldest !== undefined) this.#failures.delete(oldest)
  }
}

/** What an unknown account is compared with, so that it takes as long as a known one. */
const nobodysHash = '$2b$10$H9ZjjjXQL0ikw9DiH62XBukziTbpGYSS9ns2pFFD/kEbeFbWllJ6W'

async function isPassword(password: string, known: string): Promise<boolean> {
  // What is no bcrypt hash is nobody's password.
  const isMatch = await compare(password, known === '' ? nobodysHash : known).catch(() => false)
  return isMatch && known !== ''
}

const invalidLogin = (): RestError => new RestError('unauthenticated', 'Invalid username or password')
