// Service tables: which backends a Service has, and which of them a node uses.
export { createProxy, type PortRoute, type Proxy, proxyLoops } from './proxy.ts'
export {
  type Backend,
  backendsOn,
  decideTable,
  type PortTable,
  type ServiceTable,
  type Viewpoint,
} from './service-table.ts'
