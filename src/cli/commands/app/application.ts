// What the `app` commands read of an Application, and how its state becomes an exit code.

import type { Application, ApplicationSource } from '#kinds'
import type { DaemonApi } from '../../connect.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'

/** An Application as the server answers it: named. */
export type App = Application & { readonly metadata: { readonly name: string } }

export const getApp = (api: DaemonApi, name: string, refresh?: 'normal' | 'hard'): Promise<App> =>
  api.call('GET', `/applications/${encodeURIComponent(name)}${refresh === undefined ? '' : `?refresh=${refresh}`}`)

/** What the sync windows of its project say of an application. */
export interface SyncWindows {
  readonly status: string
  readonly assignedWindows?: readonly {
    readonly kind?: string
    readonly schedule?: string
    readonly duration?: string
  }[]
}

export const getSyncWindows = (api: DaemonApi, name: string): Promise<SyncWindows> =>
  api.call('GET', `/applications/${encodeURIComponent(name)}/syncwindows`)

export const syncStatusOf = (app: App): string => app.status?.sync?.status ?? 'Unknown'
export const healthOf = (app: App): string => app.status?.health?.status ?? 'Unknown'

/** Synced and Healthy is 0, everything else 1. */
export const exitCodeOf = (...apps: readonly App[]): ExitCode =>
  apps.every((app) => syncStatusOf(app) === 'Synced' && healthOf(app) === 'Healthy') ? exitCode.ok : exitCode.differs

/** The path, the chart, or (a source that others take values from) its name. */
export const placeOf = ({ path = '', chart = '', ref = '' }: ApplicationSource): string =>
  chart !== '' ? `chart ${chart}` : path !== '' ? path : ref !== '' ? `$${ref}` : '.'

/** How syncing is set up, as Argo CD's list prints it. */
export function syncPolicyOf(app: App): string {
  const automated = app.spec.syncPolicy?.automated
  if (automated === undefined || automated.enabled === false) return 'Manual'
  return `Auto${automated.prune === true ? '-Prune' : ''}${automated.selfHeal === true ? '-SelfHeal' : ''}`
}
