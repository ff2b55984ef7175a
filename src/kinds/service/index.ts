// Service (v1).

import { type FieldError, forbidden, invalid } from '../field-error.ts'
import { Service } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { formatLabels } from '../selector/format.ts'
import { ageColumn, nameColumn, text, wide } from '../table/columns.ts'
import { checkClusterIPChange, checkFamilyChange } from './cluster-ips.ts'
import { serviceDefaults } from './defaults.ts'
import { balancerAddresses, balancerWarnings, checkLoadBalancerStatus } from './load-balancer-status.ts'
import { dropTypeDependentFields, needsHealthCheckPort } from './networking.ts'
import { checkLoadBalancerClass, validateService } from './validate.ts'
import { serviceWarnings } from './warnings.ts'

export { clusterIPFaults } from './cluster-ips.ts'
export {
  dropTypeDependentFields,
  givesNodePorts,
  isExternallyAccessible,
  isHeadless,
  keepAllocatedValues,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePort,
  normalizeClusterIPs,
} from './networking.ts'

function validateUpdate(service: Service, old: Service): readonly FieldError[] {
  const errors: FieldError[] = []
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}]
  checkClusterIPChange(service, old, errors)
  checkFamilyChange(service, old, errors)
  const keptBalancer = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer'
  if (keptBalancer && spec.loadBalancerClass !== before.loadBalancerClass)
    errors.push(invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'))
  checkLoadBalancerClass(spec, errors)
  const keptCheck = needsHealthCheckPort(before) && needsHealthCheckPort(spec)
  if (keptCheck && spec.healthCheckNodePort !== before.healthCheckNodePort)
    errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'))
  return [...errors, ...validateService(service)]
}

function validateStatusUpdate(service: Service): readonly FieldError[] {
  const errors: FieldError[] = []
  checkLoadBalancerStatus(service.status?.loadBalancer ?? {}, service.spec ?? {}, errors)
  return errors
}

function prepareForUpdate(service: Service, old: Service): Service {
  const kept = service.status === old.status || old.status === undefined ? service : { ...service, status: old.status }
  return dropTypeDependentFields(kept, old)
}

function externalIP({ spec = {}, status }: Service): string {
  const given = spec.externalIPs ?? []
  if (spec.type === 'ExternalName') return spec.externalName ?? ''
  if (spec.type === undefined) return '<unknown>'
  if (spec.type !== 'LoadBalancer') return given.join(',') || '<none>'
  const balancer = balancerAddresses(status?.loadBalancer?.ingress)
  return [...(balancer === '' ? [] : [balancer]), ...given].join(',') || '<pending>'
}

const portsText = ({ spec }: Service): string =>
  (spec?.ports ?? [])
    .map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`)
    .join(',') || '<none>'

const columns: readonly Column<Service>[] = [
  nameColumn,
  text(
    'Type',
    'type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is "None", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. "NodePort" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. "LoadBalancer" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. "ExternalName" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types',
    ({ spec }) => spec?.type ?? '',
  ),
  text(
    'Cluster-IP',
    'clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are "None", empty string (""), or a valid IP address. Setting this to "None" makes a "headless service" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
    ({ spec }) => spec?.clusterIPs?.[0] || spec?.clusterIP || '<none>',
  ),
  text(
    'External-IP',
    'externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the Kubernetes system.',
    externalIP,
  ),
  text(
    'Port(s)',
    'The list of ports that are exposed by this service. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
    portsText,
  ),
  ageColumn,
  wide(
    text(
      'Selector',
      'Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/',
      ({ spec }) => formatLabels(spec?.selector),
    ),
  ),
]

export const serviceRules: KindRules<Service> = {
  kind: Service,
  metaOnUpdate: 'um',
  generation: 'none',
  nameRule: 'label1035',
  allowCreateOnUpdate: true,
  defaults: serviceDefaults,
  prepareForUpdate,
  validate: validateService,
  validateUpdate,
  validateStatusUpdate,
  warnings: serviceWarnings,
  statusWarnings: ({ status }) => balancerWarnings(status?.loadBalancer?.ingress),
  columns,
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
    'spec.type': ({ spec }) => spec?.type ?? '',
  },
}
