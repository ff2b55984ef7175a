// Argo CD's build environment: what `$ARGOCD_APP_NAME` and the like stand for in an application's source.

import type { ApplicationSource } from '#kinds'
import type { Lookups } from './lookups.ts'

export interface RenderedApplication {
  readonly name: string
  readonly project: string
  /** The namespace of the destination. */
  readonly namespace: string
  /** What it says its manifests depend on: `argocd.argoproj.io/manifest-generate-paths`. */
  readonly generatePaths?: string | undefined
}

export interface Capabilities {
  /** Such as `1.34.0`. */
  readonly kubeVersion: string
  /** `group/version` and `group/version/Kind` of all that the destination serves, sorted. */
  readonly apiVersions: readonly string[]
}

export interface Environment {
  readonly app: RenderedApplication
  readonly capabilities: Capabilities
  /** What charts may look up there; `none`: nothing is found. Absent: there is nobody to be asked. */
  readonly lookups?: Lookups | 'none'
}

export function buildEnvironment(
  { app, capabilities }: Environment,
  source: ApplicationSource,
  revision: string,
): Readonly<Record<string, string>> {
  return {
    ARGOCD_APP_NAME: app.name,
    ARGOCD_APP_NAMESPACE: app.namespace,
    ARGOCD_APP_PROJECT_NAME: app.project,
    ARGOCD_APP_REVISION: revision,
    ARGOCD_APP_REVISION_SHORT: revision.slice(0, 7),
    ARGOCD_APP_REVISION_SHORT_8: revision.slice(0, 8),
    ARGOCD_APP_SOURCE_REPO_URL: source.repoURL,
    ARGOCD_APP_SOURCE_PATH: source.path ?? '',
    ARGOCD_APP_SOURCE_TARGET_REVISION: source.targetRevision ?? '',
    KUBE_VERSION: capabilities.kubeVersion,
    KUBE_API_VERSIONS: capabilities.apiVersions.join(','),
  }
}

/** `$NAME` and `${NAME}` replaced, `$$` kept as `$`; a name that stands for nothing becomes empty, as in Argo CD. */
export const substitute = (text: string, environment: Readonly<Record<string, string>>): string =>
  text.replace(/\$(?:\$|\{([^}]*)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) =>
    whole === '$$' ? '$' : (environment[braced ?? bare ?? ''] ?? ''),
  )
