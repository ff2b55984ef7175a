// Signing in and out as Argo CD's clients do it: a name and a password for a token that is good for a day.

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readConfig } from './access/settings.ts'
import { checked } from './body.ts'
import type { Context } from './context.ts'
import { RestError } from './rest-error.ts'
import { secondsIn } from './token-time.ts'

const loginRequest = z.object({
  username: z.string().nullish(),
  password: z.string().nullish(),
  token: z.string().nullish(),
})
const dayText = '24h'

export function sessionRoutes(context: Context): void {
  const { server, access } = context
  server.post('/api/v1/session', (request) => logIn(context, request))
  server.delete('/api/v1/session', async (request, reply) => {
    reply.header('set-cookie', await access.signOut(request))
    return {}
  })
  server.get('/api/v1/session/userinfo', async (request) => {
    const { user, issuer, groups } = await access.callerOf(request)
    return user === undefined ? { loggedIn: false } : { loggedIn: true, username: user, iss: issuer, groups }
  })
}

async function logIn({ client, access }: Context, request: FastifyRequest): Promise<object> {
  const { username, password, token } = checked(loginRequest, request.body)
  if (typeof token === 'string' && token !== '')
    throw new RestError(
      'unauthenticated',
      'token-based session creation no longer supported. please upgrade argocd cli to v0.7+',
    )
  if (typeof username !== 'string' || username === '' || typeof password !== 'string')
    throw new RestError('unauthenticated', 'no credentials supplied')
  const account = await access.logIn(username, password)
  const { 'users.session.duration': duration = dayText } = await readConfig(client, 'argocd-cm')
  const issued = await access.issue(`${account.name}:login`, secondsIn(duration) ?? secondsIn(dayText) ?? 0)
  return { token: issued.token }
}
