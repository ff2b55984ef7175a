// What the cloud does for a Service: a load balancer while its type asks for one, none otherwise. Pure.

import type { Service } from '#kinds'
import { hasFinalizer, isTerminating } from '#reconcile'

export const cleanup = 'service.kubernetes.io/load-balancer-cleanup'
/** Making a load balancer takes this long. */
export const provisionMs = 5000

export type Decision =
  | { readonly type: 'nothing' }
  | { readonly type: 'begin' }
  | { readonly type: 'provide' }
  /** It is there: it may have to follow what has changed. */
  | { readonly type: 'keep' }
  | { readonly type: 'takeDown' }

/** Services with a class of their own are left to the controller of that class. */
const wantsBalancer = (service: Service): boolean =>
  service.spec?.type === 'LoadBalancer' && service.spec.loadBalancerClass === undefined && !isTerminating(service)

export function decideBalancer(service: Service): Decision {
  if (!wantsBalancer(service)) return hasFinalizer(service, cleanup) ? { type: 'takeDown' } : { type: 'nothing' }
  if (!hasFinalizer(service, cleanup)) return { type: 'begin' }
  return (service.status?.loadBalancer?.ingress ?? []).length > 0 ? { type: 'keep' } : { type: 'provide' }
}
