// Health of Service, Ingress and PersistentVolumeClaim.

import type { Ingress, PersistentVolumeClaim, Service } from '#kinds'
import { degraded, type HealthRule, healthy, progressing, unknown } from './verdict.ts'

export const serviceHealth: HealthRule = (object) => {
  const { spec, status } = object as unknown as Service
  if (spec?.type !== 'LoadBalancer')
    return healthy(['spec.type', spec?.type, 'only a LoadBalancer has to wait for something'])
  const count = status?.loadBalancer?.ingress?.length ?? 0
  const field = 'status.loadBalancer.ingress'
  return count > 0
    ? healthy([field, count, 'an address is assigned'])
    : progressing([field, undefined, 'no address is assigned yet'])
}

export const ingressHealth: HealthRule = (object) => {
  const { status } = object as unknown as Ingress
  const count = status?.loadBalancer?.ingress?.length ?? 0
  const field = 'status.loadBalancer.ingress'
  return count > 0
    ? healthy([field, count, 'an address is assigned'])
    : progressing([field, undefined, 'no address is assigned yet'])
}

export const claimHealth: HealthRule = (object) => {
  const phase = (object as unknown as PersistentVolumeClaim).status?.phase
  switch (phase) {
    case 'Bound':
      return healthy(['status.phase', phase, 'a volume is bound'])
    case 'Pending':
      return progressing(['status.phase', phase, 'no volume is bound yet'])
    case 'Lost':
      return degraded(['status.phase', phase, 'the bound volume is gone'])
    default:
      return unknown(['status.phase', phase, 'no phase that says how the claim is'])
  }
}
