// pods/resize: changes the CPU and memory of a pod's containers in place; everything else of the pod stays.

import { type Container, type Pod, validateResize } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import type { UpdateWay } from '../update.ts'

type Spec = NonNullable<Pod['spec']>

const specOf = (pod: AnyObject): Spec => (pod as unknown as Pod).spec ?? { containers: [] }

type Containers = readonly Container[] | undefined

const sameNames = (now: Containers = [], before: Containers = []): boolean =>
  isEqual(
    now.map(({ name }) => name),
    before.map(({ name }) => name),
  )

/** The old containers with the resources that were asked for, and with what happens when they change. */
const resized = (old: Containers, next: Containers): Containers =>
  old?.map((container, i) => {
    const { resources, resizePolicy } = next?.[i] ?? container
    if (isEqual(resources, container.resources) && isEqual(resizePolicy, container.resizePolicy)) return container
    const { resources: _resources, resizePolicy: _policy, ...rest } = container
    return {
      ...rest,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    }
  })

function prepare(pod: AnyObject, old: AnyObject): AnyObject {
  const [before, asked] = [specOf(old), specOf(pod)]
  // Which containers there are does not change here: validation says so.
  const isSame =
    sameNames(asked.containers, before.containers) && sameNames(asked.initContainers, before.initContainers)
  if (!isSame) return { ...old, spec: asked }
  const containers = resized(before.containers, asked.containers) ?? []
  const initContainers = resized(before.initContainers, asked.initContainers)
  const spec = { ...before, containers, ...(initContainers === undefined ? {} : { initContainers }) }
  return isEqual(spec, before) ? old : { ...old, spec }
}

export const resizeWay: UpdateWay = {
  subresource: 'resize',
  prepare,
  validate: (pod, old) => validateResize(pod as unknown as Pod, old as unknown as Pod),
  raisesGeneration: (pod, old) => !isEqual(pod['spec'], old['spec']),
}
