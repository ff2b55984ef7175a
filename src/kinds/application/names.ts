// Names of Argo CD that mean the same to every loop and page that deals with Applications.

export const argocdNamespace = 'argocd'
/** The cluster that Applications live in, as a destination. */
export const builtInServer = 'https://kubernetes.default.svc'
/** On an Application: what it made is deleted before it. */
export const resourcesFinalizer = 'resources-finalizer.argocd.argoproj.io'
/** A time: deletions that were asked for before it are approved. */
export const deletionApprovedAnnotation = 'argocd.argoproj.io/deletion-approved'
/** On an ApplicationSet: its generators are asked anew, now. */
export const applicationSetRefreshAnnotation = 'argocd.argoproj.io/application-set-refresh'
