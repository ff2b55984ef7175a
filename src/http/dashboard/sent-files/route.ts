// POST /api/v1/applications/manifestsWithFiles: what files that a client sends would be as the checkout of an application.

import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { argocdNamespace } from '#gitops'
import { Gate } from '#reconcile'
import type { Caller } from '../access/caller.ts'
import { type Context, policyNameOf, readApplicationNamed } from '../context.ts'
import { manifestsAnswer } from '../revisions.ts'
import { FilesMessage, unpack } from './message.ts'

export function sentFilesRoute(context: Context): void {
  // What is unpacked is in memory: one after the other.
  const gate = new Gate(1)
  context.server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))
    scope.post('/api/v1/applications/manifestsWithFiles', async (request, reply) => {
      // What is refused is not read to its end.
      reply.header('connection', 'close')
      const caller = await context.access.changerOf(request)
      return answer(context, request, { caller, gate })
    })
  })
}

interface Asking {
  readonly caller: Caller
  readonly gate: Gate
}

async function answer(context: Context, request: FastifyRequest, { caller, gate }: Asking): Promise<object> {
  const message = new FilesMessage((request.body ?? []) as Readable)
  const query = await message.query()
  const application = await readApplicationNamed(context, caller, {
    ref: { namespace: query.appNamespace ?? argocdNamespace, name: query.name },
    project: query.project ?? undefined,
    action: 'get',
  })
  const trusted = await caller.may({
    resource: 'applications',
    action: 'override',
    object: policyNameOf(application),
  })
  const archive = await message.archive(query)
  return gate.pass(async () =>
    manifestsAnswer(
      context,
      application,
      await context.gitops.manifestsOfFiles(application, await unpack(archive), trusted),
    ),
  )
}
