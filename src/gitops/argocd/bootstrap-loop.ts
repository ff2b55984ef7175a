// Makes what every Argo CD has: the namespace argocd and the project default, which allows everything. What people change
// in them stays.
// Reads: Namespaces, AppProjects.  Writes: Namespace argocd, AppProject default (only where they are missing).

import { isAlreadyExists } from '#api'
import { AppProject, Namespace } from '#kinds'
import { done, type LoopDefinition, type Outcome, requeueAfter, watching } from '#reconcile'
import { argocdNamespace, controllerManager, controllerUser } from './application/names.ts'
import { defaultProject } from './projects/project.ts'

const lookAgainMs = 1000

export const bootstrapLoop: LoopDefinition = {
  name: 'argocd-defaults',
  user: controllerUser,
  manager: controllerManager,
  watches: [
    watching(Namespace, ({ metadata }) => (metadata.name === argocdNamespace ? ['*'] : [])),
    watching(AppProject, ({ metadata }) =>
      metadata.name === 'default' && metadata.namespace === argocdNamespace ? ['*'] : [],
    ),
  ],
  startKeys: ['*'],
  workers: 1,
  reconcile: async (_key, kit): Promise<Outcome> => {
    const namespace = kit.cache.get(Namespace, argocdNamespace)
    if (namespace?.metadata.deletionTimestamp !== undefined) return requeueAfter(lookAgainMs)
    if (namespace === undefined)
      await create(() =>
        kit.client.create(Namespace, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: argocdNamespace },
          spec: {},
        }),
      )
    if (kit.cache.get(AppProject, `${argocdNamespace}/default`) === undefined)
      await create(() => kit.client.create(AppProject, defaultProject))
    return done()
  },
}

async function create(make: () => Promise<unknown>): Promise<void> {
  try {
    await make()
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
