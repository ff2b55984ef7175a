// Keeps the EndpointSlices of a Service equal to the Pods that it selects.
// Reads: Services, Pods, Nodes, EndpointSlices.  Writes: EndpointSlices (create, update, delete).

import { isNotFound } from '#api'
import { EndpointSlice, Node, Pod, Service } from '#kinds'
import { objectKey } from '#objects'
import { done, type Index, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { Expectations } from '../expectations.ts'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
import { podsOf, servicesOfPod } from '../service-pods.ts'
import { controllerName, type Decision, decideSlices, managedByLabel, serviceNameLabel } from './decide.ts'

const expectedSlices = new Expectations(EndpointSlice)

const slicesByService: Index<EndpointSlice> = {
  name: 'service',
  kind: EndpointSlice,
  values: (slice) => {
    const key = serviceKey(slice)
    return key === undefined ? [] : [key]
  },
}

export const endpointSliceController = defineController({
  name: 'endpointslice',
  reconciles: Service,
  watches: [
    watching(Service, (service) => [objectKey(service)]),
    watching(Pod, servicesOfPod),
    watching(EndpointSlice, (slice) => {
      const key = serviceKey(slice)
      return key === undefined ? [] : [key]
    }),
  ],
  reads: [Node],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const service = kit.cache.get(Service, key)
  // Slices of a deleted Service go with their owner; those of a Service without selector belong to others.
  if (service === undefined || service.spec.type === 'ExternalName' || service.spec.selector === undefined)
    return done()
  const waitUntil = expectedSlices.waitUntil(kit, service)
  if (waitUntil !== undefined) return requeueAfter(waitUntil - kit.world.clock.now())
  const decision = decideSlices({
    service,
    pods: podsOf(kit.cache, service),
    nodeOf: (name) => kit.cache.get(Node, name),
    slices: kit.cache.by(slicesByService, key).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
  })
  try {
    await act(kit, service, decision)
  } catch (error) {
    if (isNamespaceTerminating(error)) return done()
    const message = `Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`
    recordEvent(kit, {
      object: service,
      component: 'endpoint-slice-controller',
      type: 'Warning',
      reason: 'FailedToUpdateEndpointSlices',
      message,
    })
    throw error
  }
  const [lost] = decision.skipped
  if (lost !== undefined)
    throw new Error(`skipping Pod ${lost.metadata.name} for Service ${key}: Node ${lost.spec.nodeName ?? ''} Not Found`)
  return done()
}

async function act(kit: Kit, service: Service, { create, update, remove }: Decision): Promise<void> {
  if (service.metadata.deletionTimestamp === undefined)
    for (const slice of create) expectedSlices.expect(kit, service, await kit.client.create(EndpointSlice, slice))
  for (const slice of update) await kit.client.update(EndpointSlice, slice)
  for (const slice of remove) {
    try {
      await kit.client.delete(EndpointSlice, refOf(slice))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

function serviceKey({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.[serviceNameLabel]
  if (name === undefined || metadata.labels?.[managedByLabel] !== controllerName) return undefined
  return `${metadata.namespace}/${name}`
}
