// The ports of endpoints: which number a Service port has on a Pod, and the order in which ports are written. Kubernetes
// orders them by the MD5 of their Go representation; so do we, since clients see that order. Pure.

import type { Container, DiscoveryV1EndpointPort, Pod, Service } from '#kinds'
import { md5, portNumber } from '../endpoint-rules.ts'

export type EndpointPort = DiscoveryV1EndpointPort

/** The Service's ports as they are on this pod; a named port that the pod does not have is left out. */
function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  const ports = (service.spec.ports ?? []).flatMap((port) => {
    const protocol = port.protocol ?? 'TCP'
    const number = portNumber(pod, port.targetPort ?? port.port, protocol)
    if (number === undefined) return []
    return [
      {
        name: port.name ?? '',
        protocol,
        port: number,
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ]
  })
  return inOrder(ports)
}

interface KeyedPorts {
  readonly ports: readonly EndpointPort[]
  readonly portKey: string
}

/** By the containers that they are ports of, which the pods of one owner share. */
const remembered = new WeakMap<readonly Container[], { readonly service: Service; readonly keyed: KeyedPorts }>()

/** The ports with their key: the same for all pods that a Service selects of one owner. */
export function keyedPorts(service: Service, pod: Pod): KeyedPorts {
  const { containers, initContainers } = pod.spec
  const known = initContainers === undefined ? remembered.get(containers) : undefined
  if (known?.service === service) return known.keyed
  const ports = portsOf(service, pod)
  const keyed = { ports, portKey: portKey(ports) }
  if (initContainers === undefined) remembered.set(containers, { service, keyed })
  return keyed
}

export function inOrder(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  if (ports.length < 2) return ports
  return ports
    .map((port) => ({ port, hash: md5(goText(port)) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ port }) => port)
}

const keys = new WeakMap<readonly EndpointPort[], string>()

/** Equal for ports that belong into the same slice. */
export function portKey(ports: readonly EndpointPort[]): string {
  const known = keys.get(ports)
  if (known !== undefined) return known
  const key = inOrder(ports).map(goText).join()
  keys.set(ports, key)
  return key
}

const goText = ({ name, protocol, port, appProtocol }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(*string)${name ?? '<nil>'} Protocol:(*v1.Protocol)${protocol ?? '<nil>'} ` +
  `Port:(*int32)${port ?? '<nil>'} AppProtocol:(*string)${appProtocol ?? '<nil>'}}`
