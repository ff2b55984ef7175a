// Repositories: those that Secrets describe, and those that applications read. Nothing secret of them is ever told.

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isSameRepository, withoutCredentials } from '#gitops'
import { Secret } from '#kinds'
import { isEqual } from '#objects'
import type { Caller } from './access/caller.ts'
import { checked } from './body.ts'
import { type Context, pathParameter, queryOf } from './context.ts'
import { RestError } from './rest-error.ts'
import { type Described, describedSecrets, writeDescription } from './secret-fields.ts'

export interface ShownRepository {
  readonly repo: string
  readonly type: string
  readonly project?: string
  readonly [field: string]: unknown
}

const path = '/api/v1/repositories'

export function repositoryRoutes(context: Context): void {
  const { server, access } = context
  server.get(path, (request) => list(context, request))
  server.post(path, async (request) => create(context, request, await access.changerOf(request)))
  server.get(`${path}/:repo`, async (request) => {
    const url = pathParameter(request, 'repo')
    const found = (await repositoriesSeenBy(context, await access.callerOf(request))).find(({ repo }) => repo === url)
    if (found === undefined) throw new RestError('notFound', `repo '${url}' not found`)
    return found
  })
  server.delete(`${path}/:repo`, async (request) => remove(context, request, await access.changerOf(request)))
}

/** `PROJECT/URL` of a repository that is for one project only. */
const question = (action: string, { repo, project = '' }: Pick<ShownRepository, 'repo' | 'project'>) => ({
  resource: 'repositories',
  action,
  object: project === '' ? repo : `${project}/${repo}`,
})

/** A repository that is described for one project only is seen by those who may see that. */
export async function mustSeeRepository(context: Context, caller: Caller, url: string): Promise<void> {
  const described = (await describedSecrets(context, 'repository')).map(shown)
  await caller.must(question('get', described.find(({ repo }) => isSameRepository(repo, url)) ?? { repo: url }))
}

async function list(context: Context, request: FastifyRequest): Promise<object> {
  const caller = await context.access.callerOf(request)
  const [url, project] = [queryOf(request, 'repo'), queryOf(request, 'appProject')]
  const seen = await repositoriesSeenBy(context, caller)
  const items = seen.filter(
    (each) => (url === undefined || each.repo === url) && (project === undefined || each.project === project),
  )
  if (queryOf(request, 'forceRefresh') === 'true' && caller.user !== undefined)
    for (const { repo } of items) context.gitops.repositoryChanged(repo)
  return { metadata: {}, items }
}

export async function repositoriesSeenBy(context: Context, caller: Caller): Promise<readonly ShownRepository[]> {
  const used = context.gitops.repositories().map(({ url, refreshedAt, trouble }) => ({
    repo: url,
    type: 'git',
    connectionState: {
      status: trouble === undefined ? 'Successful' : 'Failed',
      message: trouble?.message ?? '',
      ...(refreshedAt === undefined ? {} : { attemptedAt: refreshedAt }),
    },
  }))
  const described = (await describedSecrets(context, 'repository')).map(shown)
  const all: readonly ShownRepository[] = [
    ...described.map((each) => {
      const known = used.find(({ repo }) => isSameRepository(repo, each.repo))
      return known === undefined ? each : { ...each, connectionState: known.connectionState }
    }),
    ...used.filter(({ repo }) => !described.some((each) => isSameRepository(repo, each.repo))),
  ]
  const seen: ShownRepository[] = []
  for (const each of all) {
    if (!(await caller.may(question('get', each)))) continue
    const { username, ...rest } = each
    // A name out of a Secret is for those who say who they are.
    seen.push(caller.user === undefined || username === undefined ? rest : { ...rest, username })
  }
  return seen
}

function shown({ fields }: Pick<Described, 'fields'>): ShownRepository {
  const { url = '', type = 'git', username, project, name } = fields
  const text = (key: string, value: string | undefined) => (value === undefined ? {} : { [key]: value })
  const flag = (key: string) => (fields[key] === 'true' ? { [key]: true } : {})
  return {
    repo: withoutCredentials(url),
    type: type === '' ? 'git' : type,
    ...text('username', username),
    ...text('name', name),
    ...text('project', project),
    ...flag('insecure'),
    ...flag('enableLfs'),
    ...flag('enableOCI'),
    connectionState: { status: 'Unknown', message: '' },
  }
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)
const flag = z
  .boolean()
  .nullish()
  .transform((value) => (value === true ? 'true' : undefined))

const repositoryRequest = z.object({
  repo: z.string().min(1),
  type: text,
  name: text,
  project: text,
  username: text,
  password: text,
  bearerToken: text,
  sshPrivateKey: text,
  insecure: flag,
  enableLfs: flag,
  enableOCI: flag,
})

async function create(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const sent = checked(repositoryRequest, request.body)
  const { repo, project = '', ...rest } = sent
  await caller.must(question('create', { repo, project }))
  const type = queryOf(request, 'credsOnly') === 'true' ? 'repo-creds' : 'repository'
  const fields = { ...rest, url: repo, project: project === '' ? undefined : project, type: rest.type ?? 'git' }
  const before = (await describedSecrets(context, type)).find(
    (each) => each.fields['url'] === repo && (each.fields['project'] ?? '') === project,
  )
  const wanted: Record<string, string> = {}
  for (const [field, value] of Object.entries(fields)) if (value !== undefined && value !== '') wanted[field] = value
  if (before !== undefined && !isEqual(before.fields, wanted)) {
    if (queryOf(request, 'upsert') !== 'true')
      throw new RestError('invalidArgument', 'existing repository spec is different; use upsert flag to force update')
    await caller.must(question('update', { repo, project }))
  }
  if (before === undefined || !isEqual(before.fields, wanted))
    await writeDescription(
      context,
      { type, prefix: type === 'repository' ? 'repo' : 'creds', identity: `${repo} ${project}`, fields },
      before?.secret,
    )
  return shown({ fields: { ...before?.fields, ...wanted } })
}

async function remove(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const url = pathParameter(request, 'repo')
  const project = queryOf(request, 'appProject') ?? ''
  await caller.must(question('delete', { repo: url, project }))
  const found = (await describedSecrets(context, 'repository')).find(
    ({ fields }) => fields['url'] === url && (fields['project'] ?? '') === project,
  )
  if (found === undefined) throw new RestError('notFound', `repo '${url}' not found`)
  const { namespace = '', name = '' } = found.secret.metadata
  await context.client.delete(Secret, { namespace, name })
  return {}
}
