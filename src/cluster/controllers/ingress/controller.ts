// Plays the ingress controllers of all classes that exist: every Ingress of a class gets the address of its controller.
// Without a class there is no controller, and no address.
// Reads: Ingresses, IngressClasses.  Writes: Ingress.status.

import { Ingress, IngressClass } from '#kinds'
import { isEqual, objectKey } from '#objects'
import { done, isTerminating, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { balancerAddresses as pool } from '../addresses.ts'
import { defineController } from '../define.ts'
import { Notes } from '../notes.ts'
import { announces, classOf, publishMs } from './decide.ts'

/** When an Ingress was taken up, by its uid and that of its class. */
const taken = new Notes()

export const ingressController = defineController({
  name: 'ingress',
  account: 'ingress-controller',
  manager: 'ingress-controller',
  reconciles: Ingress,
  watches: [
    watching(Ingress, (ingress) => [objectKey(ingress)]),
    watching(IngressClass, (_class, _old, cache) => cache.list(Ingress).map(objectKey)),
  ],
  workers: 1,
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const ingress = kit.cache.get(Ingress, key)
  if (ingress === undefined || isTerminating(ingress)) return done()
  const ingressClass = classOf(ingress, kit.cache.list(IngressClass))
  const now = kit.world.clock.now()
  if (ingressClass === undefined) return publish(kit, ingress, undefined)
  const { uid: classUid = '' } = ingressClass.metadata
  const note = `${ingress.metadata.uid}/${classUid}`
  const isNew = !taken.has(kit.world, note)
  const readyAt = taken.since(kit.world, note) + publishMs
  if ((ingress.status?.loadBalancer?.ingress ?? []).length > 0)
    return publish(
      kit,
      ingress,
      pool.take(kit.world, classUid, undefined, () => false),
    )
  if (isNew && announces(ingressClass)) {
    const component = 'nginx-ingress-controller'
    recordEvent(kit, { object: ingress, component, type: 'Normal', reason: 'Sync', message: 'Scheduled for sync' })
  }
  if (now < readyAt) return requeueAfter(readyAt - now)
  return publish(
    kit,
    ingress,
    pool.take(kit.world, classUid, undefined, () => false),
  )
}

async function publish(kit: Kit, ingress: Ingress, ip: string | undefined): Promise<Outcome> {
  const loadBalancer = ip === undefined ? {} : { ingress: [{ ip }] }
  if (!isEqual(ingress.status?.loadBalancer ?? {}, loadBalancer))
    await kit.client.updateStatus(Ingress, { ...ingress, status: { loadBalancer } })
  return done()
}
