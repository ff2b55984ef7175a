// Faults of adding debugging containers to a pod: those that are there already can be neither changed nor removed.

import { isEqual } from '#objects'
import { type FieldError, forbidden } from '../field-error.ts'
import type { Pod } from '../generated/types.ts'
import { mirrorAnnotation } from '../podspec/annotations.ts'
import { checkAnnotationChanges } from './update.ts'
import { checkPod } from './validate.ts'

export function validateEphemeralContainers(pod: Pod, old: Pod): readonly FieldError[] {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined)
    return [forbidden('[]', 'static pods do not support ephemeral containers')]
  const errors: FieldError[] = []
  checkPod(pod, errors)
  checkAnnotationChanges(pod, old, errors)
  const now = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]))
  for (const container of old.spec.ephemeralContainers ?? []) {
    const next = now.get(container.name)
    const fault = next === undefined ? 'removed' : isEqual(next, container) ? undefined : 'changed'
    if (fault !== undefined)
      errors.push(
        forbidden(
          'spec.ephemeralContainers',
          `existing ephemeral containers ${JSON.stringify(container.name)} may not be ${fault}\n`,
        ),
      )
  }
  return errors
}
