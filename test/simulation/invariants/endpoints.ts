// Endpoints hold exactly what they should. Each that the controller writes is a pod that its Service selected when the
// reconcile began, at that pod's addresses, serving as it was ready, terminating as it was being deleted, and ready when it was
// the first and not the second (or when the Service publishes what is not ready). When all has come to rest they are exactly
// the pods that their Service selects.

import { type Endpoint, type EndpointSlice, type Endpoints, Node, Pod, Service } from '#kinds'
import type { AnyObject } from '#objects'
import type { Store } from '#store'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, type Invariant, idOf, type Look } from './invariant.ts'

interface Sight {
  readonly service: Service | undefined
  /** By the name of the pod. */
  readonly pods: ReadonlyMap<string, Pod>
  /** Undefined for a controller that asks for no node. */
  readonly nodes: ReadonlySet<string> | undefined
}

const slices = 'endpointslices.discovery.k8s.io'

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true

const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

const isEnding = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

const publishes = (service: Service | undefined): boolean => service?.spec?.publishNotReadyAddresses === true

const isSelected = ({ metadata }: Pod, service: Service | undefined): boolean =>
  service?.spec?.selector !== undefined &&
  Object.entries(service.spec.selector).every(([key, value]) => metadata.labels?.[key] === value)

function conditionsOf(pod: Pod, service: Service | undefined): Required<NonNullable<Endpoint['conditions']>> {
  const [serving, terminating] = [isReady(pod), isEnding(pod)]
  return { ready: publishes(service) || (serving && !terminating), serving, terminating }
}

function sightOf({ key, cache, loop }: Reconcile): Sight {
  const pods = cache.list(Pod, key.split('/')[0])
  return {
    service: cache.get(Service, key),
    pods: new Map(pods.map((pod) => [pod.metadata.name ?? '', pod])),
    nodes: loop === 'endpointslice' ? new Set(cache.list(Node).map(({ metadata }) => metadata.name ?? '')) : undefined,
  }
}

/** What is wrong with an address of a pod, if anything. */
function wrongWith(
  { pods, service, nodes }: Sight,
  addresses: readonly string[],
  { name = '', uid }: { readonly name?: string; readonly uid?: string },
): string | undefined {
  const pod = pods.get(name)
  if (pod === undefined || pod.metadata.uid !== uid) return `holds ${name}, which is not there`
  if (isOver(pod)) return `holds ${name}, which has ended`
  if (addresses.length === 0 || !addresses.every((address) => pod.status?.podIPs?.some(({ ip }) => ip === address)))
    return `holds ${name} at ${addresses.join(', ')}, which are not its addresses`
  if (!isSelected(pod, service)) return `holds ${name}, which is not selected`
  if (!publishes(service) && nodes?.has(pod.spec.nodeName ?? '') === false)
    return `holds ${name}, whose node is not there`
  return undefined
}

/** What the conditions of an endpoint say and should not. */
function wrongConditions({ conditions }: Endpoint, pod: Pod, service: Service | undefined): string | undefined {
  const name = pod.metadata.name
  const wanted = conditionsOf(pod, service)
  if (conditions?.ready === true && !wanted.serving && !wanted.ready) return `holds ${name} as ready, which is not`
  if (conditions?.ready === true && !wanted.ready) return `holds ${name} as ready, which is ending`
  for (const type of ['serving', 'terminating', 'ready'] as const)
    if (conditions?.[type] !== wanted[type])
      return `holds ${name}, ${type} ${conditions?.[type]} where it is ${wanted[type]}`
  return undefined
}

function wroteSlice({ fail }: Look, sight: Sight, write: Write): void {
  const seen = new Set<string>()
  for (const endpoint of as<EndpointSlice>(write.after)?.endpoints ?? []) {
    const { targetRef = {}, addresses, nodeName } = endpoint
    const name = targetRef.name ?? ''
    const pod = sight.pods.get(name)
    const tell = (message: string): void => fail(`${idOf(write)} ${message}`, idOf(write), podId(write, name))
    const wrong =
      wrongWith(sight, addresses, targetRef) ??
      (pod?.spec.nodeName === nodeName ? undefined : `holds ${name} on ${nodeName}, where it is not`)
    if (wrong !== undefined) tell(wrong)
    // Told even of a pod that is not selected: two things may be wrong.
    const wrongly = pod === undefined ? undefined : wrongConditions(endpoint, pod, sight.service)
    if (wrongly !== undefined) tell(wrongly)
    if (seen.has(name)) tell(`holds ${name} twice`)
    seen.add(name)
  }
}

/** An Endpoints object shows no pod that is ending, unless its Service publishes what is not ready. */
function wroteEndpoints({ fail }: Look, sight: Sight, write: Write): void {
  const { service, pods } = sight
  for (const { addresses = [], notReadyAddresses = [] } of as<Endpoints>(write.after)?.subsets ?? [])
    for (const [shown, list] of [
      [true, addresses],
      [false, notReadyAddresses],
    ] as const)
      for (const { ip, targetRef = {} } of list) {
        const name = targetRef.name ?? ''
        const pod = pods.get(name)
        const isShownReady = pod !== undefined && (publishes(service) || isReady(pod))
        const wrong = wrongWith(sight, [ip], targetRef)
        const tell = (message: string): void => fail(`${idOf(write)} ${message}`, idOf(write), podId(write, name))
        if (wrong !== undefined) tell(wrong)
        else if (pod !== undefined && isEnding(pod) && !publishes(service)) tell(`holds ${name}, which is ending`)
        else if (isShownReady !== shown) tell(`holds ${name} as ${shown ? '' : 'not '}ready, which it is not`)
      }
}

const podId = ({ after }: Write, name: string): string => `pods/${after?.metadata.namespace}/${name}`

/** `web-1 ready serving`. */
function line(name: string | undefined, conditions: Endpoint['conditions']): string {
  const told = (['ready', 'serving', 'terminating'] as const).filter((type) => conditions?.[type] === true)
  return [name, ...told].join(' ')
}

function atRest({ fail, store }: Look, value: AnyObject): void {
  const service = value as unknown as Service
  const { metadata, spec } = service
  if (spec?.selector === undefined || spec.type === 'ExternalName') return
  const inNamespace = <T>(bucket: string): readonly T[] => listOf(store, bucket, metadata.namespace ?? '')
  const wanted = inNamespace<Pod>('pods')
    .filter((pod) => isSelected(pod, service) && !isOver(pod) && (pod.status?.podIPs ?? []).length > 0)
    .map((pod) => line(pod.metadata.name, conditionsOf(pod, service)))
  const held = inNamespace<EndpointSlice>(slices)
    .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name)
    .flatMap((slice) => slice.endpoints ?? [])
    .map(({ targetRef, conditions }) => line(targetRef?.name, conditions))
  if ([...wanted].sort().join() !== [...held].sort().join())
    fail(
      `service ${metadata.namespace}/${metadata.name} leads to ${held.join(', ') || 'nothing'}, there are ${wanted.join(', ') || 'none'}`,
      `services/${metadata.namespace}/${metadata.name}`,
    )
}

const listOf = <T>(store: Store, bucket: string, namespace: string): readonly T[] =>
  store.list(bucket, { prefix: `${namespace}/` }).entries.map((entry) => entry.value as unknown as T)

export const endpoints: Invariant = {
  name: 'endpoints',
  watch: (look) => {
    const sights = new WeakMap<Reconcile, Sight>()
    const begins = (reconcile: Reconcile): void => void sights.set(reconcile, sightOf(reconcile))
    const judged =
      (loop: string, judge: (look: Look, sight: Sight, write: Write) => void) =>
      (write: Write): void => {
        const sight = write.by?.loop === loop ? sights.get(write.by) : undefined
        if (sight !== undefined && write.after !== undefined) judge(look, sight, write)
      }
    return {
      begins: { endpointslice: begins, endpoints: begins },
      wrote: { [slices]: judged('endpointslice', wroteSlice), endpoints: judged('endpoints', wroteEndpoints) },
      atEnd() {
        for (const entry of look.store.list('services').entries) atRest(look, entry.value)
      },
    }
  },
}
