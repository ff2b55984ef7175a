// What the dashboard can read of the reconciler.

import type { GitopsReads } from '#http'

export const withoutReconciler: GitopsReads = {
  managedResources: async () => [],
  driftLog: () => [],
  revisionMetadata: async () => {
    throw new Error('no reconciler runs')
  },
  manifests: async () => {
    throw new Error('no reconciler runs')
  },
}
