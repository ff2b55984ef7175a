// Faults of Pods on create.

import type { FieldError } from '../field-error.ts'
import { forbidden } from '../field-error.ts'
import type { Pod } from '../generated/types.ts'
import { checkPodAnnotations, checkProfileAnnotations } from '../podspec/annotations.ts'
import { checkPodSpecOfPod } from '../podspec/validate.ts'

/** What create and update check alike. */
export function checkPod(pod: Pod, errors: FieldError[]): void {
  checkPodAnnotations(pod.metadata.annotations, pod.spec, { path: 'metadata.annotations', errors })
  checkPodSpecOfPod(pod.spec, pod.metadata, errors)
}

export function validatePod(pod: Pod): readonly FieldError[] {
  const errors: FieldError[] = []
  checkPod(pod, errors)
  const { spec } = pod
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'))
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0)
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  checkProfileAnnotations(pod.metadata.annotations, spec, { path: 'spec', errors })
  return errors
}
