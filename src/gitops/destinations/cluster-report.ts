// What pages are told of a cluster: whether it answers, and what is known of it. Pure; never credentials.

import type { ClusterEntry } from './cluster-entry.ts'
import type { OutsideCluster } from './outside-cluster.ts'

export interface ConnectionState {
  readonly status: 'Successful' | 'Failed' | 'Unknown'
  readonly message: string
  /** World time. */
  readonly attemptedAt?: number
}

export interface ClusterReport {
  readonly connection: ConnectionState
  readonly serverVersion?: string
  readonly apiVersions: readonly string[]
  readonly cache?: { readonly resourcesCount: number; readonly apisCount: number; readonly syncedAt: number }
}

/** Argo CD's words. */
const unusedText = 'Cluster has no applications and is not being monitored.'
export const noOutside = 'this process reaches no cluster but its own'

/** `opened` is there while the cluster is in use. */
export function reportOf(
  { way }: ClusterEntry,
  opened: OutsideCluster | undefined,
  reachesOthers: boolean,
): ClusterReport {
  if (way.type === 'refused') return { connection: { status: 'Failed', message: way.reason }, apiVersions: [] }
  if (opened === undefined) {
    const message = reachesOthers ? unusedText : noOutside
    return { connection: { status: 'Unknown', message }, apiVersions: [] }
  }
  const { state, times } = opened
  const found = state.type === 'connecting' ? undefined : state.found
  const { attemptedAt, connectedAt: syncedAt } = times
  const connection = connectionOf(state)
  return {
    connection: attemptedAt === undefined ? connection : { ...connection, attemptedAt },
    apiVersions: found?.served.apiVersions ?? [],
    ...(found === undefined ? {} : { serverVersion: found.version }),
    ...(found === undefined || syncedAt === undefined
      ? {}
      : { cache: { resourcesCount: opened.objects(), apisCount: found.served.kinds.length, syncedAt } }),
  }
}

function connectionOf(state: OutsideCluster['state']): Pick<ConnectionState, 'status' | 'message'> {
  if (state.type === 'connected') return { status: 'Successful', message: '' }
  return state.type === 'failed' ? { status: 'Failed', message: state.message } : { status: 'Unknown', message: '' }
}
