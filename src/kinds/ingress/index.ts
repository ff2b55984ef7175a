// Ingress (networking.k8s.io/v1).

import { Ingress } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { balancerAddresses } from '../service/load-balancer-status.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { classAnnotation, validateIngress, validateIngressStatus, validateNewIngress } from './validate.ts'

function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? []
  const hosts = rules.flatMap(({ host }) => host || [])
  if (hosts.length === 0) return '*'
  return hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${rules.length - 3} more...` : hosts.join(',')
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
  columns: [
    nameColumn,
    text(
      'Class',
      'The name of the IngressClass resource that should be used for additional configuration',
      ({ spec, metadata }) => spec?.ingressClassName ?? metadata.annotations?.[classAnnotation] ?? '<none>',
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
