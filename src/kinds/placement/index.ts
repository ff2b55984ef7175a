// Questions about pods and nodes that scheduler, kubelet and controllers share: requests, node selection, taints, ports.
export * from './host-ports.ts'
export * from './node-selector.ts'
export * from './resources.ts'
export * from './taints.ts'
