// How an application is compared: by the answer of a server-side apply dry run, which is the default here, or by Argo CD's
// three-way merge. Said by the Application's compare-options, or for all by `controller.diff.server.side` of the ConfigMap
// argocd-cmd-params-cm. Pure.

import { compareOptions } from '#gitops/sync'
import { type Application, ConfigMap } from '#kinds'
import type { Cache } from '#reconcile'
import { argocdNamespace } from '../application/names.ts'

export interface CompareWay {
  readonly serverSide: boolean
  /** What mutating webhooks put into fields that nobody owns counts too. */
  readonly includesMutations: boolean
}

export const parametersName = 'argocd-cmd-params-cm'

export function compareWayOf(app: Application, cache: Cache): CompareWay {
  const own = compareOptions(app)
  const forAll = cache.get(ConfigMap, `${argocdNamespace}/${parametersName}`)?.data?.['controller.diff.server.side']
  const serverSide = own.includes('ServerSideDiff=true') || forAll !== 'false'
  return {
    // Off for one application wins over on, as in Argo CD.
    serverSide: serverSide && !own.includes('ServerSideDiff=false'),
    includesMutations: own.includes('IncludeMutationWebhook=true'),
  }
}
