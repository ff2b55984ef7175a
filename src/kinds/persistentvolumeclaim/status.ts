// Faults of the status of a claim, which drivers write while they expand volumes.

import { quantityValue } from '#objects'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { PersistentVolumeClaim } from '../generated/types.ts'
import { qualifiedName } from '../metadata/formats.ts'

const resizeStates: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

export function validateStatusUpdate({ spec, status = {} }: PersistentVolumeClaim): readonly FieldError[] {
  const errors: FieldError[] = []
  if ((spec?.accessModes ?? []).length === 0) errors.push(required('Spec.accessModes'))
  checkAmounts(status.capacity, 'status.capacity', errors)
  const states = Object.entries(status.allocatedResourceStatuses ?? {})
  for (const [name, state] of states) {
    const path = 'status.allocatedResourceStatus'
    checkResourceName(name, path, errors)
    if (!resizeStates.includes(state)) errors.push(notSupported(path, name, [...resizeStates].sort()))
  }
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    const path = 'status.allocatedResources'
    if (checkResourceName(name, path, errors)) checkAmounts({ [name]: amount }, path, errors)
  }
  return errors
}

function checkAmounts(
  list: Readonly<Record<string, string | number>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  for (const [name, amount] of Object.entries(list ?? {}))
    if (quantityValue(amount) < 0)
      errors.push(invalid(`${path}[${name}]`, quantityValue(amount), 'must be a valid resource quantity'))
}

/** Of Kubernetes' own resources, a volume has storage; others carry the name of who they are of. */
function checkResourceName(name: string, path: string, errors: FieldError[]): boolean {
  const faults = qualifiedName(name).map((text) => invalid(path, name, text))
  const isNative = !name.includes('/') || name.split('/')[0]?.endsWith('kubernetes.io') === true
  if (faults.length === 0 && isNative && name !== 'storage') faults.push(notSupported(path, name, ['storage']))
  errors.push(...faults)
  return faults.length === 0
}
