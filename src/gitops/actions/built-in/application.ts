// Actions of Applications: those that are resources of others, and any by itself.

import { type BuiltInAction, patchSpec, specOf } from './action.ts'

interface SyncPolicy {
  readonly automated?: { readonly enabled?: boolean }
}

export const applicationActions: readonly BuiltInAction[] = [
  {
    name: 'toggle-auto-sync',
    displayName: 'Toggle Auto-Sync',
    iconClass: 'fa fa-fw fa-sync-alt',
    run(object) {
      const policy = (specOf(object)['syncPolicy'] ?? {}) as SyncPolicy
      const { automated } = policy
      const enabled = automated === undefined || automated.enabled === false
      return patchSpec(object, { syncPolicy: { ...policy, automated: { ...automated, enabled } } })
    },
  },
]
