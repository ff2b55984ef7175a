// Reads through the API what a route is decided from: who asks, the Services of that name with their slices, the nodes.

import { isNotFound } from '#api'
import type { Client } from '#client'
import { EndpointSlice, type Kind, Node, Pod, Service } from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import {
  addressesOf,
  decideTable,
  ownAddressOf,
  placeOfPod,
  type ServiceTable,
  type Source,
  type Surroundings,
  viewOfNode,
} from '#proxy'

/** Somebody asked for what does not exist: the message says what there is. */
export class RouteError extends Error {
  override readonly name = 'RouteError'
}

/** The proxies themselves, where they are at hand: tables as nodes have them now. */
export interface Proxies {
  tableOn(node: string, serviceKey: string): ServiceTable | undefined
  isSilent(node: string): boolean
}

export interface Origin {
  readonly source: Source
  readonly node: Node
  readonly pod?: Pod
}

export interface Sight {
  readonly around: Surroundings
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
}

async function find<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  ref: { name: string; namespace?: string },
): Promise<T | undefined> {
  try {
    return await client.get(kind, ref)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** `node-1`, `web-0`, `node/node-1`, `pod/web-0`, `shop/web-0`: a node of that name comes first. */
export async function originOf(client: Client, text: string, namespace: string | undefined): Promise<Origin> {
  const [kind = '', rest] = text.includes('/')
    ? [text.slice(0, text.indexOf('/')), text.slice(text.indexOf('/') + 1)]
    : []
  if (rest !== undefined && /^(node|nodes|no)$/.test(kind)) return nodeOrigin(await nodeNamed(client, rest), namespace)
  if (rest !== undefined)
    return /^(pod|pods|po)$/.test(kind) ? podOrigin(client, rest, namespace) : podOrigin(client, rest, kind)
  const node = await find(client, Node, { name: text })
  return node === undefined ? podOrigin(client, text, namespace) : nodeOrigin(node, namespace)
}

async function nodeNamed(client: Client, name: string): Promise<Node> {
  const node = await find(client, Node, { name })
  if (node !== undefined) return node
  const { items } = await client.list(Node)
  throw new RouteError(`there is no node ${name}; there are ${items.map(({ metadata }) => metadata.name).join(', ')}`)
}

const nodeOrigin = (node: Node, namespace = 'default'): Origin => ({
  node,
  source: { kind: 'node', namespace, ...viewOfNode(node) },
})

async function podOrigin(client: Client, name: string, given: string | undefined): Promise<Origin> {
  const pod = await podNamed(client, name, given)
  const { nodeName } = pod.spec
  const where = `pod ${objectKey(pod)}`
  if (nodeName === undefined) throw new RouteError(`${where} is not scheduled yet: it can send nothing`)
  const node = await nodeNamed(client, nodeName)
  const { podIP } = pod.status ?? {}
  if (podIP === undefined) throw new RouteError(`${where} has no address yet: it can send nothing`)
  const isOnNode = pod.spec.hostNetwork === true
  const namespace = pod.metadata.namespace ?? 'default'
  return { node, pod, source: { kind: isOnNode ? 'node' : 'pod', namespace, address: podIP, ...viewOfNode(node) } }
}

async function podNamed(client: Client, name: string, namespace: string | undefined): Promise<Pod> {
  if (namespace !== undefined) {
    const pod = await find(client, Pod, { namespace, name })
    if (pod !== undefined) return pod
    throw new RouteError(`there is no pod ${name} in namespace ${namespace}`)
  }
  const { items } = await client.list(Pod, { fieldSelector: `metadata.name=${name}` })
  const inDefault = items.find(({ metadata }) => metadata.namespace === 'default')
  const [first, second] = items
  if (first === undefined) throw new RouteError(`there is no node and no pod named ${name}`)
  if (inDefault === undefined && second !== undefined)
    throw new RouteError(
      `there are several pods ${name}: ${items.map(objectKey).join(', ')}; choose one with NAMESPACE/POD`,
    )
  return inDefault ?? first
}

export interface Look {
  /** The name or address that is asked for, and the port. */
  readonly host: string
  readonly port?: number | string | undefined
  readonly proxies: Proxies | undefined
}

export async function lookAround(client: Client, { host, port, proxies }: Look): Promise<Sight> {
  const [{ items: services }, { items: nodes }] = await Promise.all([client.list(Service), client.list(Node)])
  const slices = await slicesFor(client, { host, port }, services)
  const byKey = new Map(services.map((service) => [objectKey(service), service]))
  const slicesOf = (key: string): readonly EndpointSlice[] =>
    slices.filter(
      ({ metadata }) => `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name'] ?? ''}` === key,
    )
  const keyOf = (fits: (service: Service) => boolean): string | undefined => {
    const service = services.find(fits)
    return service === undefined ? undefined : objectKey(service)
  }
  const pods = /^\d+[-.]\d+[-.]\d+[-.]\d+/.test(host) ? (await client.list(Pod)).items : []
  const around: Surroundings = {
    service: (key) => byKey.get(key),
    slices: slicesOf,
    tableOn(node, key) {
      const service = byKey.get(key)
      if (proxies !== undefined) return proxies.tableOn(node, key)
      return service === undefined ? undefined : decideTable(service, slicesOf(key))
    },
    serviceAt: (address) => keyOf((service) => addressesOf(service).includes(address)),
    serviceOnNodePort: (port, protocol) =>
      keyOf(({ spec }) =>
        (spec.ports ?? []).some((one) => one.nodePort === port && (one.protocol ?? 'TCP') === protocol),
      ),
    nodeAt(name) {
      const node = nodes.find(
        ({ metadata, status }) =>
          metadata.name === name || status?.addresses?.some(({ address }) => address === name) === true,
      )
      return node === undefined ? undefined : viewOfNode(node)
    },
    podAt: (address) => placeOfPod(pods.filter((pod) => ownAddressOf(pod) === address)),
  }
  return { around, services, nodes }
}

/** Slices of the Services that a name, an address or a node port can mean; an alias may lead to others. */
async function slicesFor(
  client: Client,
  { host, port }: Pick<Look, 'host' | 'port'>,
  services: readonly Service[],
): Promise<readonly EndpointSlice[]> {
  const labels = host.toLowerCase().split('.')
  const meant = services.filter(
    (service) =>
      labels.includes(service.metadata.name ?? '') ||
      addressesOf(service).includes(host) ||
      (service.spec.ports ?? []).some(({ nodePort }) => nodePort !== undefined && nodePort === port),
  )
  const targets = meant.flatMap(({ spec }) => spec.externalName?.split('.')[0] ?? [])
  const names = [...new Set([...meant.map(({ metadata }) => metadata.name ?? ''), ...targets])]
  if (names.length === 0) return []
  return (await client.list(EndpointSlice, { labelSelector: `kubernetes.io/service-name in (${names.join(',')})` }))
    .items
}
