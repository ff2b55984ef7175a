// Names that Argo CD gave to things: namespace, annotations, finalizers, managers. Kept exactly.

import { type Application, argocdNamespace, resourcesFinalizer } from '#kinds'

export { argocdNamespace, builtInServer, deletionApprovedAnnotation } from '#kinds'

/** Field manager of everything that a sync writes. */
export const syncManager = 'argocd-controller'
/** User agent, and so field manager, of what the loops write on Applications. */
export const controllerManager = 'argocd-application-controller'
export const controllerUser = 'system:serviceaccount:argocd:argocd-application-controller'

export const refreshAnnotation = 'argocd.argoproj.io/refresh'
export const skipReconcileAnnotation = 'argocd.argoproj.io/skip-reconcile'
export const ignoreHealthcheckAnnotation = 'argocd.argoproj.io/ignore-healthcheck'

export const cascadeFinalizers: readonly string[] = [
  resourcesFinalizer,
  `${resourcesFinalizer}/foreground`,
  `${resourcesFinalizer}/background`,
]

/** On an Application with PreDelete hooks: they have not run yet. */
export const preDeleteFinalizer = 'pre-delete-finalizer.argocd.argoproj.io'
/** On an Application with PostDelete hooks: they have not run yet. */
export const postDeleteFinalizer = 'post-delete-finalizer.argocd.argoproj.io'
/** Of one of these two: its hooks have not been tidied up yet. */
export const cleanupOf = (finalizer: string): string => `${finalizer}/cleanup`

/** The cache key of an application's project. Projects of other namespaces count nowhere: whoever may write there would make his own. */
export const projectKey = ({ spec }: Application): string => `${argocdNamespace}/${spec.project}`

/** How an application is named in tracking annotations. */
export function instanceName({ metadata }: Application): string {
  const { namespace = argocdNamespace, name = '' } = metadata
  return namespace === argocdNamespace ? name : `${namespace}_${name}`
}

/** The cache key of the application that a tracking annotation names. */
export function keyOfInstance(instance: string): string {
  const underscore = instance.indexOf('_')
  return underscore < 0
    ? `${argocdNamespace}/${instance}`
    : `${instance.slice(0, underscore)}/${instance.slice(underscore + 1)}`
}
