// Conflicts of an apply: fields that other managers own and the configuration would change. In Kubernetes' words.

import { type FieldSet, pathsOf } from '../fields/field-set.ts'
import { pathText } from '../fields/fields-v1.ts'
import type { ManagerId } from './entries.ts'

export interface Conflict {
  readonly manager: ManagerId
  readonly fields: FieldSet
}

export interface ConflictCause {
  readonly reason: 'FieldManagerConflict'
  readonly message: string
  readonly field: string
}

/** The parts of the error that the API server answers. */
export interface ApplyConflict {
  readonly code: 409
  readonly reason: 'Conflict'
  readonly message: string
  readonly details: { readonly causes: readonly ConflictCause[] }
}

/** `conflicts` are in the order of their managers. */
export function applyConflict(conflicts: readonly Conflict[]): ApplyConflict {
  const causes = conflicts.flatMap(({ manager, fields }) =>
    [...pathsOf(fields)].map(
      (path): ConflictCause => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${managerText(manager)}`,
        field: pathText(path),
      }),
    ),
  )
  return { code: 409, reason: 'Conflict', message: messageOf(conflicts, causes), details: { causes } }
}

function messageOf(conflicts: readonly Conflict[], causes: readonly ConflictCause[]): string {
  const [only] = causes
  if (causes.length === 1 && only !== undefined) return `Apply failed with 1 conflict: ${only.message}: ${only.field}`
  const lines = conflicts.flatMap(({ manager, fields }) => [
    `conflicts with ${managerText(manager)}:`,
    ...[...pathsOf(fields)].map((path) => `- ${pathText(path)}`),
  ])
  return `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`
}

function managerText({ name, operation, apiVersion, subresource }: ManagerId): string {
  const sub = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`
  return `${JSON.stringify(name)}${sub}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
