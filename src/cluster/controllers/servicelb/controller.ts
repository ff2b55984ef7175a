// Plays the cloud's service controller: gives Services of type LoadBalancer an address from a pool, some seconds after
// they ask for it, and takes it back.
// Reads: Services.  Writes: their finalizer and status.

import { Service } from '#kinds'
import { objectKey } from '#objects'
import {
  done,
  type Index,
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
import { cleanup, decideBalancer, provisionMs } from './decide.ts'

const component = 'service-controller'
/** When the making of a load balancer began, by uid. */
const begun = new Notes()

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
  ],
  workers: 1,
  reconcile,
})

const isConcerned = ({ spec, metadata }: Service): boolean =>
  spec?.type === 'LoadBalancer' || metadata.finalizers?.includes(cleanup) === true

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const service = kit.cache.get(Service, key)
  if (service === undefined) return done()
  switch (decideBalancer(service).type) {
    case 'begin':
      await writeFinalizers(kit, withFinalizer(service, cleanup))
      tell(kit, service, 'EnsuringLoadBalancer', 'Ensuring load balancer')
      begun.since(kit.world, service.metadata.uid ?? '')
      return done()
    case 'provide':
      return provide(kit, service)
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
  await kit.client.updateStatus(Service, { ...service, status: { ...service.status, loadBalancer } })
  begun.forget(kit.world, uid)
  tell(kit, service, 'EnsuredLoadBalancer', 'Ensured load balancer')
  return done()
}

async function takeDown(kit: Kit, service: Service): Promise<void> {
  const addresses = addressesOf(service)
  tell(kit, service, 'DeletingLoadBalancer', 'Deleting load balancer')
  const current =
    addresses.length === 0
      ? service
      : await kit.client.updateStatus(Service, { ...service, status: { ...service.status, loadBalancer: {} } })
  await writeFinalizers(kit, withoutFinalizer(current, cleanup))
  for (const address of addresses) pool.release(kit.world, address)
  begun.forget(kit.world, service.metadata.uid ?? '')
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
