// Plays the cloud's service controller: gives Services of type LoadBalancer an address from a pool, some seconds after
// they ask for it, and takes it back. It tells of what a cloud would do when the Service or the nodes change.
// Reads: Services, Nodes.  Writes: Services' finalizer and status.

import { Node, Service } from '#kinds'
import { isEqual, objectKey } from '#objects'
import {
  type Cache,
  done,
  type Index,
  isTerminating,
  type Kit,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
  withFinalizer,
  withoutFinalizer,
} from '#reconcile'
import { balancerAddresses as pool } from '../addresses.ts'
import { defineController } from '../define.ts'
import { Notes } from '../notes.ts'
import { PerWorld } from '../per-world.ts'
import { hostsOf, isHost, needsUpdate } from './changes.ts'
import { cleanup, decideBalancer, provisionMs } from './decide.ts'

const component = 'service-controller'
/** When the making of a load balancer began, by uid. */
const begun = new Notes()
/** What load balancers were made from last, by uid. Lost at a restart: then nothing counts as changed. */
const made = new PerWorld<Made>()

interface Made {
  readonly service: Service
  readonly hosts: readonly string[]
}

const addressesOf = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? [])

const servicesByAddress: Index<Service> = { name: 'load-balancer', kind: Service, values: addressesOf }

export const serviceBalancerController = defineController({
  name: 'service-load-balancer',
  account: 'service-controller',
  manager: 'cloud-controller-manager',
  reconciles: Service,
  watches: [
    watching(Service, (service, old) =>
      isConcerned(service) || (old !== undefined && isConcerned(old)) ? [objectKey(service)] : [],
    ),
    watching(Node, servicesOfNode),
  ],
  workers: 1,
  reconcile,
})

const isConcerned = ({ spec, metadata }: Service): boolean =>
  spec?.type === 'LoadBalancer' || metadata.finalizers?.includes(cleanup) === true

function servicesOfNode(node: Node, old: Node | undefined, cache: Cache): readonly string[] {
  const same = old !== undefined && isHost(node) === isHost(old) && node.spec?.providerID === old.spec?.providerID
  return same ? [] : cache.list(Service).filter(isConcerned).map(objectKey)
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const service = kit.cache.get(Service, key)
  if (service === undefined) return done()
  switch (decideBalancer(service).type) {
    case 'begin':
      tell(kit, service, 'EnsuringLoadBalancer', 'Ensuring load balancer')
      await writeFinalizers(kit, withFinalizer(service, cleanup))
      begun.since(kit.world, service.metadata.uid ?? '')
      return done()
    case 'provide':
      return provide(kit, service)
    case 'keep':
      keep(kit, service)
      return done()
    case 'takeDown':
      await takeDown(kit, service)
      return done()
    default:
      return done()
  }
}

async function provide(kit: Kit, service: Service): Promise<Outcome> {
  const { uid = '' } = service.metadata
  const now = kit.world.clock.now()
  const readyAt = begun.since(kit.world, uid) + provisionMs
  if (now < readyAt) return requeueAfter(readyAt - now)
  const isTaken = (address: string): boolean => kit.cache.by(servicesByAddress, address).length > 0
  const ip = pool.take(kit.world, uid, service.spec?.loadBalancerIP, isTaken)
  const loadBalancer = { ingress: [{ ip, ipMode: 'VIP' }] }
  ensured(kit, service, note(kit, service).now)
  await kit.client.updateStatus(Service, { ...service, status: { ...service.status, loadBalancer } })
  begun.forget(kit.world, uid)
  return done()
}

function keep(kit: Kit, service: Service): void {
  const { before, now } = note(kit, service)
  if (before === undefined) return
  if (needsUpdate(before.service, service)) {
    tell(kit, service, 'EnsuringLoadBalancer', 'Ensuring load balancer')
    ensured(kit, service, now)
  } else if (!isEqual(before.hosts, now.hosts)) {
    if (now.hosts.length === 0) warnOfNoHosts(kit, service)
    else tell(kit, service, 'UpdatedLoadBalancer', 'Updated load balancer with new hosts')
  }
}

function ensured(kit: Kit, service: Service, { hosts }: Made): void {
  if (hosts.length === 0) warnOfNoHosts(kit, service)
  tell(kit, service, 'EnsuredLoadBalancer', 'Ensured load balancer')
}

function warnOfNoHosts(kit: Kit, object: Service): void {
  const message = 'There are no available nodes for LoadBalancer'
  recordEvent(kit, { object, component, type: 'Warning', reason: 'UnAvailableLoadBalancer', message })
}

/** Remembers what the balancer is made from now. */
function note({ world, cache }: Kit, service: Service): { readonly before: Made | undefined; readonly now: Made } {
  const notes = made.of(world)
  const { uid = '' } = service.metadata
  const [before, now] = [notes.get(uid), { service, hosts: hostsOf(cache.list(Node)) }]
  notes.set(uid, now)
  return { before, now }
}

async function takeDown(kit: Kit, service: Service): Promise<void> {
  const addresses = addressesOf(service)
  tell(kit, service, 'DeletingLoadBalancer', 'Deleting load balancer')
  // What goes altogether need not say that it has none.
  const current =
    addresses.length === 0 || isTerminating(service)
      ? service
      : await kit.client.updateStatus(Service, { ...service, status: { ...service.status, loadBalancer: {} } })
  await writeFinalizers(kit, withoutFinalizer(current, cleanup))
  for (const address of addresses) pool.release(kit.world, address)
  begun.forget(kit.world, service.metadata.uid ?? '')
  made.of(kit.world).delete(service.metadata.uid ?? '')
  tell(kit, service, 'DeletedLoadBalancer', 'Deleted load balancer')
}

/** By way of the status, which is all that its user may write of Services. */
async function writeFinalizers(kit: Kit, { metadata }: Service): Promise<void> {
  const { namespace = '', name = '', uid, resourceVersion, finalizers = [] } = metadata
  const patch = { metadata: { uid, resourceVersion, finalizers } }
  await kit.client.patch(Service, { namespace, name }, patch, {
    type: 'application/merge-patch+json',
    subresource: 'status',
  })
}

function tell(kit: Kit, object: Service, reason: string, message: string): void {
  recordEvent(kit, { object, component, type: 'Normal', reason, message })
}
