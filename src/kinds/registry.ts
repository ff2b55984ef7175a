// The rules of all kinds that have some of their own: one folder a kind, one line here.

import { apiServiceRules } from './apiservice/index.ts'
import { certificateSigningRequestRules } from './certificatesigningrequest/index.ts'
import { clusterRoleRules } from './clusterrole/index.ts'
import { clusterRoleBindingRules } from './clusterrolebinding/index.ts'
import { componentStatusRules } from './componentstatus/index.ts'
import { configMapRules } from './configmap/index.ts'
import { controllerRevisionRules } from './controllerrevision/index.ts'
import { cronJobRules } from './cronjob/index.ts'
import { csiDriverRules } from './csidriver/index.ts'
import { csiNodeRules } from './csinode/index.ts'
import { csiStorageCapacityRules } from './csistoragecapacity/index.ts'
import { customResourceDefinitionRules } from './customresourcedefinition/index.ts'
import { daemonSetRules } from './daemonset/index.ts'
import { deploymentRules } from './deployment/index.ts'
import { deviceClassRules } from './deviceclass/index.ts'
import { endpointsRules } from './endpoints/index.ts'
import { endpointSliceRules } from './endpointslice/index.ts'
import { coreEventRules, eventsV1Rules } from './event/index.ts'
import { flowSchemaRules } from './flowschema/index.ts'
import { autoscalerRules, autoscalerV1Rules } from './horizontalpodautoscaler/index.ts'
import { ingressRules } from './ingress/index.ts'
import { ingressClassRules } from './ingressclass/index.ts'
import { ipAddressRules } from './ipaddress/index.ts'
import { jobRules } from './job/index.ts'
import type { KindRules } from './kind.ts'
import { leaseRules } from './lease/index.ts'
import { limitRangeRules } from './limitrange/index.ts'
import { mutatingWebhookConfigurationRules } from './mutatingwebhookconfiguration/index.ts'
import { namespaceRules } from './namespace/index.ts'
import { networkPolicyRules } from './networkpolicy/index.ts'
import { nodeRules } from './node/index.ts'
import { persistentVolumeRules } from './persistentvolume/index.ts'
import { persistentVolumeClaimRules } from './persistentvolumeclaim/index.ts'
import { podRules } from './pod/index.ts'
import { podDisruptionBudgetRules } from './poddisruptionbudget/index.ts'
import { podTemplateRules } from './podtemplate/index.ts'
import { priorityClassRules } from './priorityclass/index.ts'
import { priorityLevelConfigurationRules } from './prioritylevelconfiguration/index.ts'
import { replicaSetRules } from './replicaset/index.ts'
import { replicationControllerRules } from './replicationcontroller/index.ts'
import { resourceClaimRules } from './resourceclaim/index.ts'
import { resourceClaimTemplateRules } from './resourceclaimtemplate/index.ts'
import { resourceQuotaRules } from './resourcequota/index.ts'
import { resourceSliceRules } from './resourceslice/index.ts'
import { roleRules } from './role/index.ts'
import { roleBindingRules } from './rolebinding/index.ts'
import { runtimeClassRules } from './runtimeclass/index.ts'
import { secretRules } from './secret/index.ts'
import { serviceRules } from './service/index.ts'
import { serviceAccountRules } from './serviceaccount/index.ts'
import { serviceCidrRules } from './servicecidr/index.ts'
import { statefulSetRules } from './statefulset/index.ts'
import { storageClassRules } from './storageclass/index.ts'
import { validatingAdmissionPolicyRules } from './validatingadmissionpolicy/index.ts'
import { validatingAdmissionPolicyBindingRules } from './validatingadmissionpolicybinding/index.ts'
import { validatingWebhookConfigurationRules } from './validatingwebhookconfiguration/index.ts'
import { volumeAttachmentRules } from './volumeattachment/index.ts'
import { volumeAttributesClassRules } from './volumeattributesclass/index.ts'

/** Each takes objects of its own kind alone, which a list of all kinds cannot say: its reader pairs rules and objects. */
export const kindRules = [
  apiServiceRules,
  autoscalerRules,
  autoscalerV1Rules,
  certificateSigningRequestRules,
  clusterRoleBindingRules,
  clusterRoleRules,
  componentStatusRules,
  configMapRules,
  controllerRevisionRules,
  coreEventRules,
  cronJobRules,
  csiDriverRules,
  csiNodeRules,
  csiStorageCapacityRules,
  customResourceDefinitionRules,
  daemonSetRules,
  deploymentRules,
  deviceClassRules,
  endpointSliceRules,
  endpointsRules,
  eventsV1Rules,
  flowSchemaRules,
  ingressClassRules,
  ingressRules,
  ipAddressRules,
  jobRules,
  leaseRules,
  limitRangeRules,
  mutatingWebhookConfigurationRules,
  namespaceRules,
  networkPolicyRules,
  nodeRules,
  persistentVolumeClaimRules,
  persistentVolumeRules,
  podDisruptionBudgetRules,
  podRules,
  podTemplateRules,
  priorityClassRules,
  priorityLevelConfigurationRules,
  replicaSetRules,
  replicationControllerRules,
  resourceClaimRules,
  resourceClaimTemplateRules,
  resourceQuotaRules,
  resourceSliceRules,
  roleBindingRules,
  roleRules,
  runtimeClassRules,
  secretRules,
  serviceAccountRules,
  serviceCidrRules,
  serviceRules,
  statefulSetRules,
  storageClassRules,
  validatingAdmissionPolicyBindingRules,
  validatingAdmissionPolicyRules,
  validatingWebhookConfigurationRules,
  volumeAttachmentRules,
  volumeAttributesClassRules,
] as readonly unknown[] as readonly KindRules<never>[]
