// pods/resize: changes the CPU and memory of a pod's containers in place; everything else of the pod stays.

import { type Container, type FieldError, forbidden, type Pod } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import type { Scope } from '../scope.ts'
import type { UpdateWay } from '../update.ts'

type Spec = NonNullable<Pod['spec']>

const specOf = (pod: AnyObject): Spec => (pod as unknown as Pod).spec ?? { containers: [] }

/** Containers of `old` with the resources (and resize policy) that the same container has in `next`. */
function resized(
  old: readonly Container[] | undefined,
  next: readonly Container[] | undefined,
): readonly Container[] | undefined {
  return old?.map((container) => {
    const asked = next?.find(({ name }) => name === container.name)
    if (asked === undefined || isEqual(asked.resources, container.resources)) return container
    const { resources: _old, ...rest } = container
    return asked.resources === undefined ? rest : { ...rest, resources: asked.resources }
  })
}

function prepare(pod: AnyObject, old: AnyObject): AnyObject {
  const [before, asked] = [specOf(old), specOf(pod)]
  const containers = resized(before.containers, asked.containers) ?? []
  const initContainers = resized(before.initContainers, asked.initContainers)
  const spec = { ...before, containers, ...(initContainers === undefined ? {} : { initContainers }) }
  return isEqual(spec, before) ? { ...old, metadata: pod.metadata } : { ...old, metadata: pod.metadata, spec }
}

const qosOf = (pod: AnyObject): string | undefined => (pod as unknown as Pod).status?.qosClass

/** Only CPU and memory can be resized, and none of them can be taken away. */
function validate(scope: Scope): UpdateWay['validate'] {
  return (pod, old) => {
    const errors: FieldError[] = []
    specOf(pod).containers.forEach((container, i) => {
      const before = specOf(old).containers[i]?.resources
      for (const list of ['requests', 'limits'] as const) {
        const [now, then] = [container.resources?.[list] ?? {}, before?.[list] ?? {}]
        const path = `spec.containers[${i}].resources.${list}`
        for (const name of Object.keys(then))
          if (!(name in now)) errors.push(forbidden(path, `${name} cannot be removed`))
        for (const name of Object.keys({ ...now, ...then }))
          if (!['cpu', 'memory'].includes(name) && now[name] !== then[name])
            errors.push(forbidden(path, 'only cpu and memory resources are mutable'))
      }
    })
    if (qosOf(old) !== qosOf(pod))
      errors.push(forbidden('spec', 'Pod QOS Class may not change as a result of resizing'))
    return [...errors, ...scope.served.strategy.validate(pod)]
  }
}

export const resizeWay = (scope: Scope): UpdateWay => ({
  subresource: 'resize',
  prepare,
  validate: validate(scope),
  raisesGeneration: (pod, old) => !isEqual(pod['spec'], old['spec']),
  warns: false,
})
