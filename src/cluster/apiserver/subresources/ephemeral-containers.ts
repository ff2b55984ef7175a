// pods/ephemeralcontainers: adds debugging containers to a pod. Those that are there already can be neither changed nor
// removed.

import { type EphemeralContainer, type FieldError, forbidden, type Pod } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import type { Scope } from '../scope.ts'
import type { UpdateWay } from '../update.ts'

const containersOf = (pod: AnyObject): readonly EphemeralContainer[] =>
  (pod as unknown as Pod).spec?.ephemeralContainers ?? []

const path = 'spec.ephemeralContainers'

function keepsOld(pod: AnyObject, old: AnyObject): readonly FieldError[] {
  const now = new Map(containersOf(pod).map((container) => [container.name, container]))
  return containersOf(old).flatMap((container) => {
    const next = now.get(container.name)
    if (next === undefined)
      return [forbidden(path, `existing ephemeral containers ${JSON.stringify(container.name)} may not be removed\n`)]
    if (isEqual(next, container)) return []
    return [forbidden(path, `existing ephemeral containers ${JSON.stringify(container.name)} may not be changed\n`)]
  })
}

/** Rules for a new pod say that it may not have any; that does not count here. */
const isAboutContainer = ({ field, message }: FieldError): boolean =>
  field.startsWith(path) && message !== 'Forbidden: cannot be set on create'

export const ephemeralContainersWay = ({ served }: Scope): UpdateWay => ({
  subresource: 'ephemeralcontainers',
  prepare: (pod, old) => {
    if (isEqual(containersOf(pod), containersOf(old))) return old
    const ephemeralContainers = containersOf(pod)
    const { ephemeralContainers: _removed, ...rest } = (old as unknown as Pod).spec ?? { containers: [] }
    const spec = ephemeralContainers.length === 0 ? rest : { ...rest, ephemeralContainers }
    return { ...old, metadata: pod.metadata, spec }
  },
  validate: (pod, old) => {
    const kept = keepsOld(pod, old)
    return kept.length > 0 ? kept : served.strategy.validate(pod).filter(isAboutContainer)
  },
  raisesGeneration: (pod, old) => !isEqual(containersOf(pod), containersOf(old)),
  warns: false,
})
