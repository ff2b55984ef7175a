// Service tables and DNS: where a connection goes. The proxies of all nodes, and Probes that send requests through them.
export { isEndingButServing, type Viewpoint } from './categorize.ts'
export { type Destination, externalAddress } from './destination-port.ts'
export type { ServiceProxy } from './proxy.ts'
export { decideRoute, type Route, type Source, type Surroundings } from './route.ts'
export { type Backend, backendsOf, decideTable, familyOf, mergeSlices, type ServiceTable } from './service-table.ts'
export { addressesOf, ownAddressOf, placeOfPod, viewOfNode } from './surroundings.ts'
export { createTraffic } from './traffic.ts'
export type { Verdict } from './verdict.ts'
