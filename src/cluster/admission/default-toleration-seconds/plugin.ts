// DefaultTolerationSeconds: pods stay for five minutes on a node that is not ready or cannot be reached, unless they say
// otherwise.

import type { Pod, PodSpec, Toleration } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest } from '../plugin.ts'

const seconds = 300
const keys = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
const specs = new WeakMap<PodSpec, PodSpec>()

const covers = ({ key, effect }: Toleration, taint: string): boolean =>
  (key === undefined || key === taint) && (effect === undefined || effect === 'NoExecute')

function withTolerations(spec: PodSpec): PodSpec {
  const known = specs.get(spec)
  if (known !== undefined) return known
  const tolerations = spec.tolerations ?? []
  const missing = keys.filter((key) => !tolerations.some((toleration) => covers(toleration, key)))
  const added = missing.map(
    (key): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }),
  )
  const result = added.length === 0 ? spec : { ...spec, tolerations: [...tolerations, ...added] }
  specs.set(spec, result)
  return result
}

function mutate(object: AnyObject, request: AdmissionRequest): AnyObject {
  if (request.subresource !== '' || object['spec'] === request.old?.['spec']) return object
  const { spec } = object as unknown as Pod
  if (spec === undefined) return object
  const result = withTolerations(spec)
  return result === spec ? object : { ...object, spec: result }
}

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  resources: ['pods'],
  mutate,
}
