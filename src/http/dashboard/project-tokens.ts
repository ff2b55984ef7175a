// Tokens of a project's roles. The project's status keeps which there are; the token itself is told once.

import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isConflict } from '#api'
import { AppProject, type AppProject as Project, type ProjectRole, type ProjectToken } from '#kinds'
import type { Caller } from './access/caller.ts'
import { projectSubject } from './access/rights.ts'
import { checked } from './body.ts'
import { type Context, fieldManager, pathParameter } from './context.ts'
import { getProject } from './projects.ts'
import { RestError } from './rest-error.ts'
import { expirySeconds } from './token-time.ts'

const tokenRequest = z.object({ id: z.string().nullish(), expiresIn: expirySeconds })

export function projectTokenRoutes(context: Context): void {
  const { server, access } = context
  const path = '/api/v1/projects/:name/roles/:role/token'
  server.post(path, async (request) => create(context, request, await access.changerOf(request)))
  server.delete(`${path}/:iat`, async (request) => remove(context, request, await access.changerOf(request)))
}

async function create(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const { project, role } = await roleFor(context, request, caller)
  const { id, expiresIn } = checked(tokenRequest, request.body)
  const wanted = typeof id === 'string' && id !== '' ? id : randomUUID()
  const name = project.metadata.name ?? ''
  const { token, claims } = await context.access.issue(projectSubject(name, role.name), expiresIn, wanted)
  const known = { iat: claims.iat, id: wanted, ...(claims.exp === undefined ? {} : { exp: claims.exp }) }
  const decide = (tokens: readonly ProjectToken[]): readonly ProjectToken[] => {
    if (tokens.some((each) => each.id === wanted))
      throw new RestError('invalidArgument', `Token id '${wanted}' has been used.`)
    return [...tokens, known]
  }
  await keepTokens(context, name, { role, decide })
  return { token }
}

async function remove(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const { project, role } = await roleFor(context, request, caller)
  const id = (request.query as { readonly id?: string }).id ?? ''
  const iat = Number(pathParameter(request, 'iat'))
  const isMeant = (token: ProjectToken): boolean => (id === '' ? token.iat === iat : token.id === id)
  await keepTokens(context, project.metadata.name ?? '', {
    role,
    decide: (tokens) => tokens.filter((token) => !isMeant(token)),
  })
  return {}
}

/** Who may change a project may make tokens for its roles, and so may the members of a role. */
async function roleFor(
  { client }: Context,
  request: FastifyRequest,
  caller: Caller,
): Promise<{ readonly project: Project; readonly role: ProjectRole }> {
  const [name, roleName] = [pathParameter(request, 'name'), pathParameter(request, 'role')]
  const question = { resource: 'projects', action: 'update', object: name }
  const project = await getProject(client, name).catch(async (error: unknown) => {
    await caller.must(question)
    throw error
  })
  const role = project.spec.roles?.find((each) => each.name === roleName)
  const isMember = role?.groups?.some((group) => caller.groups.includes(group)) === true
  if (!isMember) await caller.must(question)
  if (role === undefined) throw new RestError('notFound', `project '${name}' does not have role '${roleName}'`)
  return { project, role }
}

const tokensOf = ({ status }: Project, role: ProjectRole): readonly ProjectToken[] => [
  ...(role.jwtTokens ?? []),
  ...(status?.jwtTokensByRole?.[role.name]?.items ?? []),
]

interface Keeping {
  readonly role: ProjectRole
  readonly decide: (tokens: readonly ProjectToken[]) => readonly ProjectToken[]
}

const triesMax = 5

/** Tokens that were written into the spec move to the status with the first change: git has no say in them. */
async function keepTokens({ client }: Context, name: string, { role, decide }: Keeping): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const live = await getProject(client, name)
    const current = live.spec.roles?.find((each) => each.name === role.name) ?? role
    const items = decide(tokensOf(live, current))
    const jwtTokensByRole = { ...live.status?.jwtTokensByRole, [role.name]: { items } }
    const roles = live.spec.roles?.map((each) => {
      if (each.name !== role.name) return each
      const { jwtTokens: _moved, ...rest } = each
      return rest
    })
    const spec = roles === undefined ? live.spec : { ...live.spec, roles }
    try {
      await client.update(AppProject, { ...live, spec, status: { ...live.status, jwtTokensByRole } }, { fieldManager })
      return
    } catch (error) {
      if (!isConflict(error) || tries >= triesMax) throw error
    }
  }
}
