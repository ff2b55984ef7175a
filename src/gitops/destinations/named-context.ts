// Clusters that no Secret describes: the built-in one, and contexts of a kubeconfig that the operator named.

import type { Connection } from '#client'
import { builtInServer } from '#kinds'
import type { ClusterEntry } from './cluster-entry.ts'

export const builtInName = 'in-cluster'

/** A context of a kubeconfig that the operator named. */
export interface NamedContext {
  readonly name: string
  readonly connection: Connection
  /** For messages: `the context prod of ~/.kube/config`. */
  readonly origin: string
}

export const builtInEntry: ClusterEntry = {
  server: builtInServer,
  name: builtInName,
  project: '',
  clusterResources: false,
  way: { type: 'built-in' },
  origin: 'the built-in cluster',
  refresh: '',
}

export const entryOfContext = ({ name, connection, origin }: NamedContext): ClusterEntry => ({
  server: connection.server,
  name,
  project: '',
  clusterResources: false,
  way: { type: 'connection', connection },
  origin,
  refresh: '',
})
