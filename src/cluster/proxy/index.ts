// Service tables and DNS: where a connection goes. The proxies of all nodes, and Probes that send requests through them.
export { type Categories, categorize, isEndingButServing, type TopologyMode, type Viewpoint } from './categorize.ts'
export { clusterDomain, type DnsAnswer, type Lookup, lookUp, searchPath, type Zone } from './dns.ts'
export type { ServiceProxy } from './proxy.ts'
export {
  type Destination,
  decideRoute,
  type Outcome,
  type PodPlace,
  type Route,
  type Source,
  type Surroundings,
} from './route.ts'
export {
  type Backend,
  backendsOf,
  decideTable,
  familyOf,
  mergeSlices,
  type PortTable,
  type ServiceTable,
} from './service-table.ts'
export { createTraffic } from './traffic.ts'
export { type Call, type Client, decideVerdict, type Frontend, type Verdict } from './verdict.ts'
