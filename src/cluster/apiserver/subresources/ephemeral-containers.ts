// pods/ephemeralcontainers: adds debugging containers to a pod. Those that are there already can be neither changed nor
// removed.

import { type EphemeralContainer, type Pod, validateEphemeralContainers } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import type { UpdateWay } from '../update.ts'

const containersOf = (pod: AnyObject): readonly EphemeralContainer[] =>
  (pod as unknown as Pod).spec?.ephemeralContainers ?? []

export const ephemeralContainersWay: UpdateWay = {
  subresource: 'ephemeralcontainers',
  prepare: (pod, old) => {
    if (isEqual(containersOf(pod), containersOf(old))) return old
    const ephemeralContainers = containersOf(pod)
    const { ephemeralContainers: _removed, ...rest } = (old as unknown as Pod).spec ?? { containers: [] }
    const spec = ephemeralContainers.length === 0 ? rest : { ...rest, ephemeralContainers }
    return { ...old, spec }
  },
  validate: (pod, old) => validateEphemeralContainers(pod as unknown as Pod, old as unknown as Pod),
  raisesGeneration: (pod, old) => !isEqual(containersOf(pod), containersOf(old)),
}
