// Keeps the Endpoints object of a Service (deprecated since 1.33, but still read) equal to the Pods that it selects, and
// removes it together with the Service.
// Reads: Services, Pods, Endpoints.  Writes: Endpoints (create, update, delete).

import { isForbidden, isNotFound } from '#api'
import { Endpoints, Pod, Service } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, type Kit, type Outcome, recordEvent, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { messageOf } from '../pod-control.ts'
import { podsOf, servicesOfPod } from '../service-pods.ts'
import { controllerName, decideEndpoints, managedByLabel } from './decide.ts'

export const endpointsController = defineController({
  name: 'endpoints',
  account: 'endpoint-controller',
  reconciles: Service,
  watches: [
    watching(Service, (service) => [objectKey(service)]),
    watching(Pod, servicesOfPod),
    watching(Endpoints, serviceOfEndpoints),
  ],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const service = kit.cache.get(Service, key)
  const current = kit.cache.get(Endpoints, key)
  if (service === undefined) {
    if (current !== undefined) await remove(kit, current)
    return done()
  }
  if (service.spec.type === 'ExternalName' || service.spec.selector === undefined) return done()
  const endpoints = decideEndpoints({ service, pods: podsOf(kit.cache, service), current })
  if (endpoints !== current) await write(kit, service, { current, endpoints })
  return done()
}

async function write(
  kit: Kit,
  service: Service,
  { current, endpoints }: { readonly current: Endpoints | undefined; readonly endpoints: Endpoints },
): Promise<void> {
  try {
    await (current === undefined ? kit.client.create(Endpoints, endpoints) : kit.client.update(Endpoints, endpoints))
  } catch (error) {
    // The namespace is being deleted, or the creation is not allowed: trying again is of no use.
    if (current === undefined && isForbidden(error)) return
    const key = objectKey(service)
    const [reason, verb] =
      current === undefined ? ['FailedToCreateEndpoint', 'create'] : ['FailedToUpdateEndpoint', 'update']
    const message = `Failed to ${verb} endpoint for service ${key}: ${messageOf(error)}`
    recordEvent(kit, { object: endpoints, component: controllerName, type: 'Warning', reason, message })
    throw error
  }
}

async function remove(kit: Kit, endpoints: Endpoints): Promise<void> {
  try {
    await kit.client.delete(Endpoints, refOf(endpoints))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Endpoints without a Service that somebody else made are nobody's business until a Service of that name goes away. */
function serviceOfEndpoints(endpoints: Endpoints, _old: Endpoints | undefined, cache: Cache): Iterable<string> {
  const key = objectKey(endpoints)
  const isMine = endpoints.metadata.labels?.[managedByLabel] === controllerName
  return isMine || cache.get(Service, key) !== undefined ? [key] : []
}
