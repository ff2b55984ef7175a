// The query of a write, checked as Kubernetes checks CreateOptions, UpdateOptions, PatchOptions and DeleteOptions.

import { type FieldError, invalid, notSupported, tooLong } from '#kinds'
import { invalidError } from './errors.ts'
import { dryRunOf } from './query-values.ts'
import type { Scope } from './scope.ts'

const maxManagerLength = 128
const validations = ['', 'Ignore', 'Strict', 'Warn']

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

export function dryRunFaults(values: readonly string[] = []): readonly FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])]
}

export function managerFaults(manager: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (Buffer.byteLength(manager) > maxManagerLength) errors.push(tooLong('fieldManager', maxManagerLength))
  let at = 0
  for (const char of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char))
      errors.push(invalid('fieldManager', manager, `invalid character ${codePoint(char)} (at position ${at})`))
    at += Buffer.byteLength(char)
  }
  return errors
}

/** As Go's `%U` writes it. */
const codePoint = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Refuses options that no server accepts. Apply (`applying`) asks for a manager and is the only one to take `force`. */
export function checkWriteOptions(scope: Scope, kind: OptionsKind, applying?: boolean): void {
  const { query } = scope.request
  if (query === undefined && applying !== true) return
  const errors: FieldError[] = []
  const manager = query?.['fieldManager'] ?? ''
  if (applying === true && manager === '')
    errors.push({
      type: 'FieldValueRequired',
      field: 'fieldManager',
      message: 'Required value: is required for apply patch',
    })
  if (applying === false && query?.['force'] !== undefined)
    errors.push({
      type: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    })
  errors.push(...managerFaults(manager), ...dryRunFaults(dryRunOf(query?.['dryRun'])))
  const validation = query?.['fieldValidation'] ?? ''
  if (!validations.includes(validation)) errors.push(notSupported('fieldValidation', validation, validations))
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind }, '', errors)
}

/** The query of a write as an object, as admission is shown it. */
export function optionsOf({ request }: Scope, operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'): object {
  if (operation === 'CONNECT') return {}
  const { query = {}, verb, body } = request
  const { fieldManager, fieldValidation, force, dryRun } = query
  const kind: OptionsKind =
    operation === 'DELETE'
      ? 'DeleteOptions'
      : verb === 'patch'
        ? 'PatchOptions'
        : operation === 'CREATE'
          ? 'CreateOptions'
          : 'UpdateOptions'
  const sent = operation === 'DELETE' && body?.type === 'object' ? body.object : {}
  return {
    ...(sent as object),
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun === undefined ? {} : { dryRun: dryRunOf(dryRun) }),
    ...(force === undefined || kind !== 'PatchOptions' ? {} : { force: force !== 'false' }),
    ...(fieldManager === undefined || kind === 'DeleteOptions' ? {} : { fieldManager }),
    ...(fieldValidation === undefined || kind === 'DeleteOptions' ? {} : { fieldValidation }),
  }
}
