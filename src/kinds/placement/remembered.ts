// Keeps results of what depends only on a pod's containers and resources. Binding a pod makes a new spec that shares its
// containers with the old one, so results are found by the list of containers.

import type { PodSpec } from '../generated/types.ts'

interface Known<R> {
  readonly spec: PodSpec
  readonly result: R
}

export function rememberedByContainers<R>(compute: (spec: PodSpec) => R): (spec: PodSpec) => R {
  const results = new WeakMap<PodSpec['containers'], Known<R>>()
  return (spec) => {
    const known = results.get(spec.containers)
    if (
      known !== undefined &&
      known.spec.initContainers === spec.initContainers &&
      known.spec.resources === spec.resources &&
      known.spec.overhead === spec.overhead
    )
      return known.result
    const result = compute(spec)
    results.set(spec.containers, { spec, result })
    return result
  }
}
