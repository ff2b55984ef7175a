// The ReplicaSet controller and its elder twin, the ReplicationController: the same loop over two kinds.

import { ReplicaSet, ReplicationController } from '#kinds'
import { matchesLabels } from '#objects'
import { replicaLoop } from './loop.ts'

export const replicaSetController = replicaLoop({
  name: 'replicaset',
  account: 'replicaset-controller',
  kind: ReplicaSet,
  component: 'replicaset-controller',
  matcher: (set) => (labels) => matchesLabels(set.spec.selector, labels),
})

export const replicationController = replicaLoop({
  name: 'replicationcontroller',
  account: 'replication-controller',
  kind: ReplicationController,
  component: 'replication-controller',
  matcher: (set) => (labels) => matchesLabels({ matchLabels: set.spec?.selector ?? {} }, labels),
})
