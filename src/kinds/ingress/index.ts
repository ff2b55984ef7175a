// Ingress (networking.k8s.io/v1).

import { Ingress } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { balancerAddresses, balancerWarnings } from '../service/load-balancer-status.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { classAnnotation, validateIngress, validateIngressStatus, validateNewIngress } from './validate.ts'

const maxHosts = 3

/** Rules without a host count only behind the last host that is shown, as in Kubernetes. */
function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? []
  const hosts: string[] = []
  let more = false
  for (const { host } of rules) {
    if (hosts.length === maxHosts) more = true
    else if (host) hosts.push(host)
  }
  if (hosts.length === 0) return '*'
  return more ? `${hosts.join(',')} + ${rules.length - maxHosts} more...` : hosts.join(',')
}

export const ingressRules: KindRules<Ingress> = {
  kind: Ingress,
  validate: validateNewIngress,
  validateUpdate: validateIngress,
  validateStatusUpdate: validateIngressStatus,
  warnings: ({ metadata, spec }, old) =>
    old === undefined && metadata.annotations?.[classAnnotation] !== undefined && spec?.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  statusWarnings: ({ status }) => balancerWarnings(status?.loadBalancer?.ingress),
  columns: [
    nameColumn,
    text(
      'Class',
      'The name of the IngressClass resource that should be used for additional configuration',
      ({ spec }) => spec?.ingressClassName ?? '<none>',
    ),
    text('Hosts', 'Hosts that incoming requests are matched against before the ingress rule', hostsText),
    text('Address', 'Address is a list containing ingress points for the load-balancer', ({ status }) =>
      balancerAddresses(status?.loadBalancer?.ingress),
    ),
    text('Ports', 'Ports of TLS configurations that open', ({ spec }) =>
      (spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    ),
    ageColumn,
  ],
}
