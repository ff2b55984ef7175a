// The proxies of all nodes, and the Probes that send requests through them: the loops of this room, one line each.

import { type Network, quietNetwork } from './network.ts'
import { probeLoop } from './probe/loop.ts'
import { createProxy, type ServiceProxy } from './proxy.ts'

export function createTraffic(network: Network = quietNetwork): ServiceProxy {
  const proxy = createProxy()
  return { ...proxy, loops: [...proxy.loops, probeLoop({ proxy, network })] }
}
