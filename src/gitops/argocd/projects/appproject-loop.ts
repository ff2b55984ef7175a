// Says on a project what is wrong with it, so that it is seen where it can be mended.
// Reads: AppProjects.  Writes: AppProject status.conditions.

import { AppProject, type AppProjectCondition } from '#kinds'
import { formatTime, isEqual, objectKey } from '#objects'
import { done, isTerminating, type Kit, type LoopDefinition, type Outcome, watching } from '#reconcile'
import { controllerManager, controllerUser } from '../application/names.ts'
import { windowFaults } from './sync-windows.ts'

export const appProjectLoop: LoopDefinition = {
  name: 'appproject-controller',
  user: controllerUser,
  manager: controllerManager,
  reconciles: AppProject,
  watches: [watching(AppProject, (project) => [objectKey(project)])],
  workers: 1,
  reconcile,
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const project = kit.cache.get(AppProject, key)
  if (project === undefined || isTerminating(project)) return done()
  const before = project.status?.conditions ?? []
  const conditions = decideConditions(before, windowFaults(project), kit.world.clock.now())
  if (isEqual(conditions, before)) return done()
  const { namespace = '', name = '', resourceVersion } = project.metadata
  const status = { conditions: conditions.length === 0 ? null : conditions }
  await kit.client.patch(
    AppProject,
    { namespace, name },
    { metadata: { resourceVersion }, status },
    { type: 'application/merge-patch+json' },
  )
  return done()
}

/** One condition a fault; a fault that goes on keeps the time when it began. */
function decideConditions(
  before: readonly AppProjectCondition[],
  faults: readonly string[],
  now: number,
): readonly AppProjectCondition[] {
  return faults.map(
    (message) =>
      before.find((each) => each.message === message) ?? {
        type: 'InvalidSpecError',
        message,
        lastTransitionTime: formatTime(now),
      },
  )
}
