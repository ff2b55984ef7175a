// Local accounts: who there is, their tokens and passwords, and what whoever asks may do.

import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { RE2JS } from 're2js'
import { z } from 'zod'
import { type Account, changeAccountTokens, readAccount, readAccounts } from './access/accounts.ts'
import type { Caller } from './access/caller.ts'
import { readConfig } from './access/settings.ts'
import { checked } from './body.ts'
import { type Context, pathParameter } from './context.ts'
import { RestError } from './rest-error.ts'
import { expirySeconds } from './token-time.ts'

const tokenRequest = z.object({ id: z.string().nullish(), expiresIn: expirySeconds })

export function accountRoutes(context: Context): void {
  const { server, access, client } = context
  const path = '/api/v1/account'
  server.get(path, async (request) => {
    const caller = await access.callerOf(request)
    const accounts = await readAccounts(client)
    const seen: object[] = []
    for (const account of accounts) if (await maySee(caller, account.name)) seen.push(shown(account))
    return { items: seen }
  })
  server.get(`${path}/:name`, async (request) => {
    const name = pathParameter(request, 'name')
    const caller = await access.callerOf(request)
    if (!(await maySee(caller, name))) await caller.must(question('get', name))
    return shown(await readAccount(client, name))
  })
  server.post(`${path}/:name/token`, (request) => createToken(context, request))
  server.put(`${path}/password`, (request) => changePassword(context, request))
  server.delete(`${path}/:name/token/:id`, (request) => deleteToken(context, request))
  server.get(`${path}/can-i/:resource/:action/*`, async (request) => {
    const caller = await access.callerOf(request)
    const [resource, action, object] = ['resource', 'action', '*'].map((name) => pathParameter(request, name))
    const may = await caller.may({ resource: resource ?? '', action: action ?? '', object: object ?? '' })
    return { value: may ? 'yes' : 'no' }
  })
}

const question = (action: string, object: string) => ({ resource: 'accounts', action, object })

/** Everybody may see himself. */
const maySee = async (caller: Caller, name: string): Promise<boolean> =>
  caller.user === name || caller.may(question('get', name))

/** Everybody may make and end his own tokens. */
async function mustUpdate(caller: Caller, name: string): Promise<void> {
  if (caller.user !== name || caller.issuer !== 'argocd') await caller.must(question('update', name))
}

const shown = ({ name, enabled, capabilities, tokens }: Account): object => ({
  name,
  enabled,
  capabilities,
  tokens: tokens.map(({ id, iat, exp }) => ({
    id,
    issuedAt: iat,
    ...(exp === undefined ? {} : { expiresAt: exp }),
  })),
})

async function createToken({ access, client }: Context, request: FastifyRequest): Promise<object> {
  const caller = await access.changerOf(request)
  const name = pathParameter(request, 'name')
  await mustUpdate(caller, name)
  const { id, expiresIn } = checked(tokenRequest, request.body)
  const account = await readAccount(client, name)
  if (!account.capabilities.includes('apiKey'))
    throw new RestError('failedPrecondition', `account '${name}' does not have apiKey capability`)
  const wanted = typeof id === 'string' && id !== '' ? id : randomUUID()
  const { token, claims } = await access.issue(`${name}:apiKey`, expiresIn, wanted)
  const known = { id: wanted, iat: claims.iat, ...(claims.exp === undefined ? {} : { exp: claims.exp }) }
  await changeAccountTokens(client, account, (tokens) => {
    if (tokens.some((each) => each.id === wanted))
      throw new RestError('invalidArgument', `account already has token with id '${wanted}'`)
    return [...tokens, known]
  })
  return { token }
}

const passwordRequest = z.object({
  name: z.string().nullish(),
  currentPassword: z.string().nullish(),
  newPassword: z.string(),
})
const anyPassword = '^.{8,32}$'

/** Whoever came in by a password has to say it again. */
async function changePassword({ access, client }: Context, request: FastifyRequest): Promise<object> {
  const caller = await access.changerOf(request)
  const sent = checked(passwordRequest, request.body)
  const name = typeof sent.name === 'string' && sent.name !== '' ? sent.name : caller.user
  await mustUpdate(caller, name)
  const account = await readAccount(client, name)
  if (caller.issuer === 'argocd') await access.logIn(caller.user, sent.currentPassword ?? '')
  const { passwordPattern = anyPassword } = await readConfig(client, 'argocd-cm')
  if (!fits(passwordPattern, sent.newPassword))
    throw new RestError('invalidArgument', `New password does not match the following expression: ${passwordPattern}.`)
  await access.setPassword(account, sent.newPassword)
  return {}
}

function fits(pattern: string, password: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(password).find()
  } catch (error) {
    throw new RestError('failedPrecondition', `argocd-cm: passwordPattern: ${(error as Error).message}`)
  }
}

async function deleteToken({ access, client }: Context, request: FastifyRequest): Promise<object> {
  const caller = await access.changerOf(request)
  const name = pathParameter(request, 'name')
  await mustUpdate(caller, name)
  const account = await readAccount(client, name)
  const id = pathParameter(request, 'id')
  await changeAccountTokens(client, account, (tokens) => {
    const others = tokens.filter((token) => token.id !== id)
    if (others.length === tokens.length)
      throw new RestError('notFound', `account '${name}' has no token with id '${id}'`)
    return others
  })
  return {}
}
