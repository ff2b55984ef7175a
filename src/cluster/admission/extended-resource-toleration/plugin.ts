// ExtendedResourceToleration: a pod that asks for a device tolerates the taint of the nodes that are kept for it.

import type { Pod, PodSpec, Toleration } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest } from '../plugin.ts'

/** Resources of somebody's own domain, not of Kubernetes. */
const isExtended = (name: string): boolean => {
  const [domain = '', rest] = name.split('/')
  return rest !== undefined && !/(^|\.)kubernetes\.io$/.test(domain) && !name.startsWith('requests.')
}

function mutate(object: AnyObject, { operation, subresource }: AdmissionRequest): AnyObject {
  if (subresource !== '' || (operation !== 'CREATE' && operation !== 'UPDATE')) return object
  const { spec } = object as unknown as Pod
  if (spec === undefined) return object
  const asked = new Set(
    [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      .flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
      .filter(isExtended),
  )
  const tolerations = spec.tolerations ?? []
  const missing = [...asked]
    .sort()
    .filter((key) => !tolerations.some((one) => one.key === key && one.operator === 'Exists' && !one.effect))
    .map((key): Toleration => ({ key, operator: 'Exists' }))
  if (missing.length === 0) return object
  return { ...object, spec: { ...spec, tolerations: [...tolerations, ...missing] } as PodSpec }
}

export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  resources: ['pods'],
  isOptional: true,
  mutate,
}
