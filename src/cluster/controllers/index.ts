// The controllers of the kube-controller-manager, and those that stand beside it in a real cluster (the cloud's, the ingress
// controllers', the storage drivers'): one folder and one line each.

import type { LoopDefinition } from '#reconcile'
import type { ReadRequest } from './certificate-requests.ts'
import { clusterRoleAggregationController } from './clusterroleaggregation/controller.ts'
import { cronJobController } from './cronjob/controller.ts'
import { csiAttacher } from './csi/attacher.ts'
import { csiDeleter, csiProvisioner } from './csi/provisioner.ts'
import { csiResizer } from './csi/resizer.ts'
import { certificateApprover } from './csrapproving/controller.ts'
import { certificateCleaner } from './csrcleaner/controller.ts'
import { certificateSigner, type SignCertificate } from './csrsigning/controller.ts'
import { daemonSetController } from './daemonset/controller.ts'
import { deploymentController } from './deployment/controller.ts'
import { disruptionController } from './disruption/controller.ts'
import { stalePodDisruption } from './disruption/stale.ts'
import { endpointsController } from './endpoints/controller.ts'
import { endpointSliceController } from './endpointslice/controller.ts'
import { endpointSliceMirroringController } from './endpointslicemirroring/controller.ts'
import { ephemeralVolumeController } from './ephemeralvolume/controller.ts'
import { garbageCollector } from './garbagecollector/controller.ts'
import { ingressController } from './ingress/controller.ts'
import { jobController } from './job/controller.ts'
import { jobOrphanController } from './job/left-behind.ts'
import { legacyTokenCleaner } from './legacytokencleaner/controller.ts'
import { namespaceController } from './namespace/controller.ts'
import { nodeEvictionController, nodeLifecycleController } from './nodelifecycle/controller.ts'
import { claimBinder, volumeBinder } from './persistentvolume/controller.ts'
import { podAutoscaler } from './podautoscaler/controller.ts'
import { podGarbageCollector } from './podgc/controller.ts'
import {
  attributesClassProtectionController,
  pvcProtectionController,
  pvProtectionController,
} from './pvcprotection/controller.ts'
import { redisSecretController } from './redissecretinit/controller.ts'
import { replicaSetController, replicationController } from './replicaset/controller.ts'
import { resourceClaimController, resourceClaimMaker } from './resourceclaim/controller.ts'
import { resourceQuotaController } from './resourcequota/controller.ts'
import { rootCaController } from './rootca/controller.ts'
import { serviceAccountController } from './serviceaccount/controller.ts'
import { serviceAccountTokenController } from './serviceaccounttoken/controller.ts'
import { serviceCidrController } from './servicecidr/controller.ts'
import { serviceBalancerController } from './servicelb/controller.ts'
import { statefulSetController } from './statefulset/controller.ts'
import { taintEvictionController } from './tainteviction/controller.ts'
import { nodeTtlController } from './ttl/controller.ts'
import { ttlAfterFinishedController } from './ttlafterfinished/controller.ts'
import { policyStatusController } from './validatingadmissionpolicystatus/controller.ts'
import { attachDetachController } from './volumeattachment/controller.ts'
import { volumeExpandController } from './volumeexpand/controller.ts'
import { webhookCertgenController } from './webhookcertgen/controller.ts'

export type { ReadRequest, RequestedIdentity } from './certificate-requests.ts'
export { defaultStorageClassAddon } from './csi/default-class.ts'
export type { SignCertificate, SigningOrder } from './csrsigning/controller.ts'

/** Those for which somebody must be able to read certificate requests and to sign them. */
export const certificateControllers = (read: ReadRequest, sign: SignCertificate): readonly LoopDefinition[] => [
  certificateApprover(read),
  certificateSigner(read, sign),
]

export const controllers: readonly LoopDefinition[] = [
  replicaSetController,
  replicationController,
  deploymentController,
  statefulSetController,
  daemonSetController,
  jobController,
  jobOrphanController,
  cronJobController,
  ttlAfterFinishedController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  garbageCollector,
  namespaceController,
  serviceAccountController,
  serviceAccountTokenController,
  legacyTokenCleaner,
  rootCaController,
  nodeLifecycleController,
  nodeEvictionController,
  taintEvictionController,
  podGarbageCollector,
  resourceQuotaController,
  disruptionController,
  stalePodDisruption,
  podAutoscaler,
  claimBinder,
  volumeBinder,
  ephemeralVolumeController,
  resourceClaimMaker,
  resourceClaimController,
  pvcProtectionController,
  pvProtectionController,
  attributesClassProtectionController,
  clusterRoleAggregationController,
  nodeTtlController,
  attachDetachController,
  volumeExpandController,
  certificateCleaner,
  serviceCidrController,
  policyStatusController,
]

/** What a bare control plane does not have: a cloud, ingress controllers, storage drivers. */
export const outsideControllers: readonly LoopDefinition[] = [
  serviceBalancerController,
  ingressController,
  csiProvisioner,
  csiDeleter,
  csiAttacher,
  csiResizer,
  webhookCertgenController,
  redisSecretController,
]
