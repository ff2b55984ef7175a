// Admission: what is changed or refused between a request and the store. One folder a plug-in, one line each here, in
// Kubernetes' order; webhooks come after the plug-ins that change objects, quotas after everything.
import { alwaysPullImages } from './always-pull-images/plugin.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates/plugin.ts'
import { defaultIngressClass } from './default-ingress-class/plugin.ts'
import { defaultStorageClass } from './default-storage-class/plugin.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds/plugin.ts'
import { denyServiceExternalIPs } from './deny-service-external-ips/plugin.ts'
import { extendedResourceToleration } from './extended-resource-toleration/plugin.ts'
import { limitRanger } from './limit-ranger/plugin.ts'
import { namespaceLifecycle } from './namespace-lifecycle/plugin.ts'
import { nodeRestriction } from './node-restriction/plugin.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement/plugin.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize/plugin.ts'
import type { AdmissionPlugin } from './plugin.ts'
import { podSecurity } from './pod-security/plugin.ts'
import { priority } from './priority/plugin.ts'
import { resourceQuota } from './resource-quota/plugin.ts'
import { runtimeClass } from './runtime-class/plugin.ts'
import { serviceAccount } from './service-account/plugin.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection/plugin.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition/plugin.ts'
import { validatingAdmissionPolicy } from './validating-admission-policy/plugin.ts'
import { mutatingWebhooks, validatingWebhooks } from './webhooks/plugin.ts'

export { type AdmissionChain, createAdmissionChain } from './chain.ts'
export * from './choice.ts'
export * from './configuration.ts'
export * from './plugin.ts'
export { defaultHosts, hostFault, mayCall } from './webhooks/hosts.ts'
export { conversionAnswer } from './webhooks/simulated-conversion.ts'
export { type Callee, post as callWebhook } from './webhooks/transport.ts'

export const admissionPlugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  alwaysPullImages,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  extendedResourceToleration,
  defaultStorageClass,
  storageObjectInUseProtection,
  ownerReferencesPermissionEnforcement,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
  denyServiceExternalIPs,
  mutatingWebhooks,
  validatingAdmissionPolicy,
  validatingWebhooks,
  resourceQuota,
]
