// Faults of file paths in volumes and mounts.

import { type FieldError, invalid, required } from '../field-error.ts'
import type { KeyToPath } from '../generated/types.ts'

export function checkNoBacksteps(target: string, path: string, errors: FieldError[]): void {
  if (target.split('/').includes('..')) errors.push(invalid(path, target, "must not contain '..'"))
}

/** Relative, and never upwards. */
export function checkDescending(target: string, path: string, errors: FieldError[]): void {
  if (target.startsWith('/')) errors.push(invalid(path, target, 'must be a relative path'))
  checkNoBacksteps(target, path, errors)
}

export function checkNotReserved(target: string, path: string, errors: FieldError[]): void {
  checkDescending(target, path, errors)
  if (target.startsWith('..') && !target.startsWith('../'))
    errors.push(invalid(path, target, "must not start with '..'"))
}

const modeText = 'must be a number between 0 and 0777 (octal), both inclusive'

export function checkFileMode(mode: number | undefined, path: string, errors: FieldError[]): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) errors.push(invalid(path, mode, modeText))
}

/** One key of a ConfigMap or Secret, and the file that it becomes. */
export function checkKeyToPath(item: KeyToPath, path: string, errors: FieldError[]): void {
  if (!item.key) errors.push(required(`${path}.key`))
  if (!item.path) errors.push(required(`${path}.path`))
  checkNotReserved(item.path ?? '', `${path}.path`, errors)
  checkFileMode(item.mode, `${path}.mode`, errors)
}
