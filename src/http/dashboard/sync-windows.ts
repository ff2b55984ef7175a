// The sync windows of applications and projects: which there are, which are open, and whether a person may sync now.

import { isNotFound } from '#api'
import { argocdNamespace, assignedWindows, decideSync, windowWord } from '#gitops'
import { type Application, AppProject, type SyncWindow } from '#kinds'
import { type Context, readApplication } from './context.ts'
import { RestError } from './rest-error.ts'

export function syncWindowRoutes(context: Context): void {
  const { server, world } = context
  server.get('/api/v1/applications/:name/syncwindows', async (request) => {
    const application = await readApplication(context, request)
    const project = await projectOf(context, application)
    if (project === undefined) return { canSync: true, status: 'Sync Allowed' }
    const now = world.clock.now()
    const assigned = assignedWindows(project, application, now)
    return {
      activeWindows: assigned.filter(({ open }) => open).map(({ window }) => shown(window)),
      assignedWindows: assigned.map(({ window }) => shown(window)),
      canSync: decideSync(project, application, { manual: true, now }).allowed,
      // Our own: what Argo CD's client works out of the rest.
      status: windowWord(project, application, now),
    }
  })
}

const shown = ({ kind, schedule, duration, manualSync = false }: SyncWindow): object => ({
  kind,
  schedule,
  duration,
  manualSync,
})

async function projectOf({ client }: Context, { spec }: Application): Promise<AppProject | undefined> {
  try {
    return await client.get(AppProject, { namespace: argocdNamespace, name: spec.project })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Refuses a sync that a person asks for outside of the windows. */
export async function mustBeInWindow(context: Context, application: Application): Promise<void> {
  const project = await projectOf(context, application)
  if (project === undefined) return
  const { allowed, fault } = decideSync(project, application, { manual: true, now: context.world.clock.now() })
  if (allowed) return
  throw new RestError(
    'permissionDenied',
    fault === undefined ? 'cannot sync: blocked by sync window' : `cannot sync: ${fault}`,
  )
}
