// The person of a rehearsal: says Sync, once for each revision, where an Application does not do it by itself, and hears
// of every change of an Application.
// Reads: Applications.  Writes: their operation.

import { Application, type Operation, revisionsIn } from '#kinds'
import { objectKey } from '#objects'
import { done, type LoopDefinition, watching } from '#reconcile'

/** `app` is undefined when it has gone. */
export type Hears = (key: string, app: Application | undefined) => void

/** `said` holds what was synced of each application. */
export function attendantLoop(hears: Hears, said: Map<string, string>): LoopDefinition {
  return {
    name: 'rehearsal',
    user: 'system:serviceaccount:argocd:argocd-server',
    manager: 'argocd-server',
    reconciles: Application,
    watches: [watching(Application, (app) => [objectKey(app)])],
    workers: 1,
    reconcile: async (key, kit) => {
      const app = kit.cache.get(Application, key)
      hears(key, app)
      if (app === undefined) {
        said.delete(key)
        return done()
      }
      const wish = wishOf(app)
      if (wish === undefined || said.get(key) === wish) return done()
      const { namespace = '', name = '', resourceVersion } = app.metadata
      const patch = { metadata: { resourceVersion }, operation: operationOf(app) }
      await kit.client.patch(Application, { namespace, name }, patch, { type: 'application/merge-patch+json' })
      said.set(key, wish)
      return done()
    },
  }
}

/** What would be synced, as a text; undefined where nobody has to say so. */
export function wishOf({ spec, status = {}, operation }: Application): string | undefined {
  const automated = spec.syncPolicy?.automated
  if (automated !== undefined && automated !== null && automated.enabled !== false) return undefined
  const phase = status.operationState?.phase
  const isBusy = operation !== undefined || phase === 'Running' || phase === 'Terminating'
  if (isBusy || status.sync?.status !== 'OutOfSync') return undefined
  const { source, sources } = status.sync.comparedTo ?? {}
  return JSON.stringify([revisionsIn(status.sync), source, sources])
}

/** As `argocd app sync` asks for it: nothing is pruned. */
function operationOf({ spec: { syncPolicy = {} } }: Application): Operation {
  const { syncOptions, retry } = syncPolicy
  return {
    sync: syncOptions === undefined ? {} : { syncOptions },
    initiatedBy: { username: 'rehearsal' },
    ...(retry === undefined ? {} : { retry }),
  }
}
