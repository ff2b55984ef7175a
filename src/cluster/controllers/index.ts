// The controllers of the kube-controller-manager: one folder and one line each.

import type { LoopDefinition } from '#reconcile'
import { deploymentController } from './deployment/controller.ts'
import { endpointsController } from './endpoints/controller.ts'
import { endpointSliceController } from './endpointslice/controller.ts'
import { endpointSliceMirroringController } from './endpointslicemirroring/controller.ts'
import { jobController, jobOrphanController } from './job/controller.ts'
import { replicaSetController, replicationController } from './replicaset/controller.ts'

export const controllers: readonly LoopDefinition[] = [
  replicaSetController,
  replicationController,
  deploymentController,
  jobController,
  jobOrphanController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
]
