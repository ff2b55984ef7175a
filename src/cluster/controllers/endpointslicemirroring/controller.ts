// Mirrors hand-made Endpoints into EndpointSlices, which is all that proxies read.
// Reads: Endpoints, Services, EndpointSlices.  Writes: EndpointSlices (create, update, delete).

import { isNotFound } from '#api'
import { EndpointSlice, Endpoints, Service } from '#kinds'
import { objectKey } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { slicesOf, touchedServices } from '../endpoint-slices.ts'
import { Expectations } from '../expectations.ts'
import { isNamespaceTerminating } from '../pod-control.ts'
import { controllerName, decideMirror, isMirrored, maxAddresses } from './decide.ts'

const expectedSlices = new Expectations(EndpointSlice)

const mirrorsByEndpoints = slicesOf(controllerName)

export const endpointSliceMirroringController = defineController({
  name: 'endpointslicemirroring',
  backoff: { firstMs: 1000, maxMs: 100_000 },
  reconciles: Endpoints,
  watches: [
    watching(Endpoints, (endpoints) => [objectKey(endpoints)]),
    watching(Service, (service, old) =>
      !hasSelector(service) || (old !== undefined && !hasSelector(old)) ? [objectKey(service)] : [],
    ),
    watching(EndpointSlice, touchedServices(controllerName)),
  ],
  reconcile,
})

const hasSelector = ({ spec }: Service): boolean => spec.selector !== undefined

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const endpoints = kit.cache.get(Endpoints, key)
  const service = kit.cache.get(Service, key)
  const slices = kit.cache
    .by(mirrorsByEndpoints, key)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  // Also where there is no Service any more, or one that has got a selector: then its slices are another controller's.
  if (endpoints === undefined || !isMirrored(endpoints) || service === undefined || hasSelector(service)) {
    for (const slice of slices) await remove(kit, slice)
    return done()
  }
  const waitUntil = expectedSlices.waitUntil(kit, endpoints)
  if (waitUntil !== undefined) return requeueAfter(waitUntil - kit.world.clock.now())
  const decision = decideMirror(endpoints, slices)
  if (decision.skipped > 0)
    recordEvent(kit, {
      object: endpoints,
      component: 'endpoint-slice-mirroring-controller',
      type: 'Warning',
      reason: 'TooManyAddressesToMirror',
      message: `A max of ${maxAddresses} addresses can be mirrored to EndpointSlices per Endpoints subset. ${decision.skipped} addresses were skipped`,
    })
  try {
    for (const slice of decision.create)
      expectedSlices.expect(kit, endpoints, await kit.client.create(EndpointSlice, slice))
  } catch (error) {
    if (isNamespaceTerminating(error)) return done()
    throw error
  }
  for (const slice of decision.update) await kit.client.update(EndpointSlice, slice)
  for (const slice of decision.remove) await remove(kit, slice)
  return done()
}

async function remove(kit: Kit, slice: EndpointSlice): Promise<void> {
  try {
    await kit.client.delete(EndpointSlice, refOf(slice))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
