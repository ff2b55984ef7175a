// The kubelets of all nodes, real and stand-in; the words in which workloads are described.
export { defaultWorkloads } from './default-workloads.ts'
export { createKubelet, type Kubelet, type KubeletOptions, kubeletLoops } from './kubelet.ts'
export type { LogRequest } from './logs.ts'
export { type NodeSpec, numberedNodes } from './node-object.ts'
export { standinKubeletLoops } from './standin.ts'
export { noDelays, type Timings, usualTimings } from './timings.ts'
export type { Usage, UsageSample } from './usage.ts'
export type * from './workload.ts'
