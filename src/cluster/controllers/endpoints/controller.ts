// Keeps the Endpoints object of a Service (deprecated since 1.33, but still read) equal to the Pods that it selects, and
// removes it together with the Service.
// Reads: Services, Pods, Endpoints.  Writes: Endpoints (create, update, delete).

import { isNotFound } from '#api'
import { Endpoints, Pod, Service } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, type Kit, type Outcome, recordEvent, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
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
    if (current === undefined && isNamespaceTerminating(error)) return
    const key = objectKey(service)
    const [reason, what] =
      current === undefined
        ? ['FailedToCreateEndpoint', `create endpoint for service ${key}`]
        : ['FailedToUpdateEndpoint', `update endpoint ${key}`]
    const message = `Failed to ${what}: ${messageOf(error)}`
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

/**
 * Endpoints that are gone are made again, and those left behind by a Service go. What somebody writes into them meanwhile
 * stays, as in Kubernetes, until a pod or the Service changes.
 */
function serviceOfEndpoints(endpoints: Endpoints, old: Endpoints | undefined, cache: Cache): readonly string[] {
  if (old !== undefined) return none
  const key = objectKey(endpoints)
  if (cache.get(Service, key) !== undefined) return cache.get(Endpoints, key) === undefined ? [key] : none
  return endpoints.metadata.labels?.[managedByLabel] === controllerName ? [key] : none
}

const none: readonly string[] = []
