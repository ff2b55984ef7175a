// Defaults of a Service. Addresses, ports and families are the API server's to allocate.

import type { LoadBalancerIngress, Service, ServicePort } from '../generated/types.ts'
import { mapShared, withDefaults, without } from '../sharing.ts'
import { isExternallyAccessible } from './networking.ts'

const clientIpTimeoutSeconds = 10_800
const inCluster: readonly string[] = ['ClusterIP', 'NodePort', 'LoadBalancer']

export function serviceDefaults(service: Service): Service {
  const given = service.spec ?? {}
  const type = given.type || 'ClusterIP'
  const sessionAffinity = given.sessionAffinity || 'None'
  let spec = withDefaults(given, {
    type,
    sessionAffinity,
    ports: given.ports && mapShared(given.ports, portDefaults),
    internalTrafficPolicy: given.internalTrafficPolicy ?? (inCluster.includes(type) ? 'Cluster' : undefined),
    allocateLoadBalancerNodePorts: given.allocateLoadBalancerNodePorts ?? (type === 'LoadBalancer' ? true : undefined),
    externalTrafficPolicy:
      given.externalTrafficPolicy || (isExternallyAccessible({ ...given, type }) ? 'Cluster' : undefined),
  })
  if (sessionAffinity === 'None') spec = without(spec, 'sessionAffinityConfig')
  else if (sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec = { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: clientIpTimeoutSeconds } } }
  const ingress = service.status?.loadBalancer?.ingress
  const status =
    type === 'LoadBalancer' && ingress !== undefined
      ? withDefaults(service.status ?? {}, {
          loadBalancer: withDefaults(service.status?.loadBalancer ?? {}, { ingress: mapShared(ingress, modeDefault) }),
        })
      : undefined
  return withDefaults(service, { spec, status })
}

const portDefaults = (port: ServicePort): ServicePort =>
  withDefaults(port, { protocol: port.protocol || 'TCP', targetPort: port.targetPort || port.port || 0 })

const modeDefault = (ingress: LoadBalancerIngress): LoadBalancerIngress =>
  withDefaults(ingress, { ipMode: ingress.ip ? (ingress.ipMode ?? 'VIP') : undefined })
