// What a load balancer reports: the addresses of Services and Ingresses, as faults and as text.

import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { LoadBalancerStatus, ServiceSpec } from '../generated/types.ts'
import { dnsSubdomain } from '../metadata/formats.ts'
import { checkAddress, parseAddress } from '../network/addresses.ts'
import { addressWarnings } from '../network/forms.ts'

const modes: readonly string[] = ['Proxy', 'VIP']

export function checkLoadBalancerStatus(status: LoadBalancerStatus, spec: ServiceSpec, errors: FieldError[]): void {
  const path = 'status.loadBalancer.ingress'
  const entries = status.ingress ?? []
  if (spec.type !== 'LoadBalancer' && entries.length > 0) {
    errors.push(forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"))
    return
  }
  entries.forEach((entry, i) => {
    const at = `${path}[${i}]`
    const { ip = '', ipMode, hostname = '' } = entry
    if (ip !== '') checkAddress(ip, `${at}.ip`, errors)
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(`${at}.ipMode`, 'must be specified when `ip` is set'))
    } else if (ip === '') errors.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'))
    else if (!modes.includes(ipMode)) errors.push(notSupported(`${at}.ipMode`, ipMode, modes))
    checkBalancerHostname(hostname, `${at}.hostname`, errors)
  })
}

export function checkBalancerHostname(hostname: string, path: string, errors: FieldError[]): void {
  if (hostname === '') return
  for (const text of dnsSubdomain(hostname)) errors.push(invalid(path, hostname, text))
  if (parseAddress(hostname) !== undefined)
    errors.push(invalid(path, hostname, 'must be a DNS name, not an IP address'))
}

interface BalancerIngress {
  readonly ip?: string
  readonly hostname?: string
}

export const balancerWarnings = (ingress: readonly BalancerIngress[] | undefined): readonly string[] =>
  (ingress ?? []).flatMap(({ ip }, i) => addressWarnings(ip, `status.loadBalancer.ingress[${i}]`))

/** Addresses, sorted, as one text. */
export function balancerAddresses(ingress: readonly BalancerIngress[] | undefined): string {
  return [...new Set((ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').filter((text) => text !== ''))]
    .sort()
    .join(',')
}
