// The rules of all kinds that have some of their own: one folder a kind, one line here.

import { clusterRoleRules } from './clusterrole/index.ts'
import { clusterRoleBindingRules } from './clusterrolebinding/index.ts'
import { configMapRules } from './configmap/index.ts'
import { controllerRevisionRules } from './controllerrevision/index.ts'
import { cronJobRules } from './cronjob/index.ts'
import { customResourceDefinitionRules } from './customresourcedefinition/index.ts'
import { daemonSetRules } from './daemonset/index.ts'
import { deploymentRules } from './deployment/index.ts'
import { endpointsRules } from './endpoints/index.ts'
import { endpointSliceRules } from './endpointslice/index.ts'
import { coreEventRules, eventsV1Rules } from './event/index.ts'
import { autoscalerRules, autoscalerV1Rules } from './horizontalpodautoscaler/index.ts'
import { ingressRules } from './ingress/index.ts'
import { ingressClassRules } from './ingressclass/index.ts'
import { jobRules } from './job/index.ts'
import type { KindRules } from './kind.ts'
import { leaseRules } from './lease/index.ts'
import { limitRangeRules } from './limitrange/index.ts'
import { namespaceRules } from './namespace/index.ts'
import { networkPolicyRules } from './networkpolicy/index.ts'
import { nodeRules } from './node/index.ts'
import { persistentVolumeRules } from './persistentvolume/index.ts'
import { persistentVolumeClaimRules } from './persistentvolumeclaim/index.ts'
import { podRules } from './pod/index.ts'
import { podDisruptionBudgetRules } from './poddisruptionbudget/index.ts'
import { podTemplateRules } from './podtemplate/index.ts'
import { priorityClassRules } from './priorityclass/index.ts'
import { replicaSetRules } from './replicaset/index.ts'
import { replicationControllerRules } from './replicationcontroller/index.ts'
import { resourceQuotaRules } from './resourcequota/index.ts'
import { roleRules } from './role/index.ts'
import { roleBindingRules } from './rolebinding/index.ts'
import { runtimeClassRules } from './runtimeclass/index.ts'
import { secretRules } from './secret/index.ts'
import { serviceRules } from './service/index.ts'
import { serviceAccountRules } from './serviceaccount/index.ts'
import { statefulSetRules } from './statefulset/index.ts'
import { storageClassRules } from './storageclass/index.ts'

/** Each takes objects of its own kind alone, which a list of all kinds cannot say: its reader pairs rules and objects. */
export const kindRules = [
  autoscalerRules,
  autoscalerV1Rules,
  clusterRoleBindingRules,
  clusterRoleRules,
  configMapRules,
  controllerRevisionRules,
  coreEventRules,
  cronJobRules,
  customResourceDefinitionRules,
  daemonSetRules,
  deploymentRules,
  endpointSliceRules,
  endpointsRules,
  eventsV1Rules,
  ingressClassRules,
  ingressRules,
  jobRules,
  leaseRules,
  limitRangeRules,
  namespaceRules,
  networkPolicyRules,
  nodeRules,
  persistentVolumeClaimRules,
  persistentVolumeRules,
  podDisruptionBudgetRules,
  podRules,
  podTemplateRules,
  priorityClassRules,
  replicaSetRules,
  replicationControllerRules,
  resourceQuotaRules,
  roleBindingRules,
  roleRules,
  runtimeClassRules,
  secretRules,
  serviceAccountRules,
  serviceRules,
  statefulSetRules,
  storageClassRules,
] as readonly unknown[] as readonly KindRules<never>[]
