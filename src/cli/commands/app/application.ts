// What the `app` commands read of an Application, and how its state becomes an exit code.

import type { DaemonApi } from '../../connect.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'

export interface AppResource {
  readonly group?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly status?: string
  readonly health?: { readonly status?: string; readonly message?: string }
  readonly hook?: boolean
  readonly requiresPruning?: boolean
}

export interface AppOperation {
  readonly phase: string
  readonly message?: string
  readonly startedAt: string
  readonly finishedAt?: string
  readonly syncResult?: { readonly revision?: string }
}

export interface App {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string }
  readonly spec: {
    readonly project?: string
    readonly source?: { readonly repoURL: string; readonly path?: string; readonly targetRevision?: string }
    readonly destination: { readonly server?: string; readonly name?: string; readonly namespace?: string }
    readonly syncPolicy?: {
      readonly automated?: { readonly prune?: boolean; readonly selfHeal?: boolean; readonly enabled?: boolean }
    }
  }
  readonly operation?: object
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string }
    readonly health?: { readonly status?: string; readonly message?: string }
    readonly resources?: readonly AppResource[]
    readonly conditions?: readonly {
      readonly type: string
      readonly message: string
      readonly lastTransitionTime?: string
    }[]
    readonly operationState?: AppOperation
    readonly history?: readonly {
      readonly id: number
      readonly revision?: string
      readonly deployedAt?: string
      readonly initiatedBy?: { readonly username?: string; readonly automated?: boolean }
    }[]
  }
}

export const getApp = (api: DaemonApi, name: string, refresh?: 'normal' | 'hard'): Promise<App> =>
  api.call('GET', `/applications/${encodeURIComponent(name)}${refresh === undefined ? '' : `?refresh=${refresh}`}`)

export const syncStatusOf = (app: App): string => app.status?.sync?.status ?? 'Unknown'
export const healthOf = (app: App): string => app.status?.health?.status ?? 'Unknown'

/** Synced and Healthy is 0, everything else 1. */
export const exitCodeOf = (...apps: readonly App[]): ExitCode =>
  apps.every((app) => syncStatusOf(app) === 'Synced' && healthOf(app) === 'Healthy') ? exitCode.ok : exitCode.differs

export const shortRevision = (revision: string | undefined): string =>
  revision !== undefined && /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : (revision ?? '')

/** How syncing is set up, as Argo CD's list prints it. */
export function syncPolicyOf(app: App): string {
  const automated = app.spec.syncPolicy?.automated
  if (automated === undefined || automated.enabled === false) return 'Manual'
  return `Auto${automated.prune === true ? '-Prune' : ''}${automated.selfHeal === true ? '-SelfHeal' : ''}`
}
