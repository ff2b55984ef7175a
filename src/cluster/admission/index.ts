// Admission: what is changed or refused between a request and the store. One folder a plug-in, one line each here, in
// Kubernetes' order; the webhook caller comes after the plug-ins.
import { namespaceLifecycle } from './namespace-lifecycle/plugin.ts'
import type { AdmissionPlugin } from './plugin.ts'

export { type AdmissionChain, createAdmissionChain } from './chain.ts'
export * from './plugin.ts'

export const admissionPlugins: readonly AdmissionPlugin[] = [namespaceLifecycle]
