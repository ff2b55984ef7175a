// The quality of service class of a pod, from what its containers (or the pod as a whole) request and are limited to.

import { addQuantity, compareQuantity } from '#objects'
import type { PodSpec, ResourceRequirements } from '../generated/types.ts'
import { remembered } from '../sharing.ts'

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const counted = ['cpu', 'memory'] as const

export const qosClassOf: (spec: PodSpec) => QosClass = remembered((spec) => {
  const ofPod = spec.resources
  const lists: readonly (ResourceRequirements | undefined)[] =
    ofPod !== undefined && Object.keys({ ...ofPod.requests, ...ofPod.limits }).length > 0
      ? [ofPod]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
  return classOf(lists)
})

function classOf(lists: readonly (ResourceRequirements | undefined)[]): QosClass {
  const requests: Record<string, string> = {}
  const limits: Record<string, string> = {}
  let isGuaranteed = true
  for (const resources of lists) {
    for (const name of counted) {
      const request = positive(resources?.requests?.[name])
      if (request !== undefined) requests[name] = addQuantity(requests[name] ?? '0', request)
      const limit = positive(resources?.limits?.[name])
      if (limit !== undefined) limits[name] = addQuantity(limits[name] ?? '0', limit)
      else isGuaranteed = false
    }
  }
  if (Object.keys(requests).length + Object.keys(limits).length === 0) return 'BestEffort'
  const same = (name: string): boolean => compareQuantity(requests[name] ?? '-1', limits[name] ?? '-2') === 0
  return isGuaranteed &&
    Object.keys(requests).length === Object.keys(limits).length &&
    Object.keys(requests).every(same)
    ? 'Guaranteed'
    : 'Burstable'
}

const positive = (amount: string | number | undefined): string | number | undefined =>
  amount !== undefined && compareQuantity(amount, '0') > 0 ? amount : undefined
