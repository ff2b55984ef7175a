// Types of what is inside of a value: of its fields, and of what a loop over it goes through.

import { errorType } from './findings.ts'
import { type CelType, dynType, formatType, intType, isDynOrError } from './type.ts'
import type { Substitutions } from './unify.ts'

export function fieldType(
  type: CelType,
  field: string,
  known: Substitutions,
): { readonly type: CelType; readonly fault?: string } {
  if (type.kind === 'map') return { type: type.value }
  if (type.kind === 'object') {
    if (type.field === undefined) return { type: errorType, fault: `unexpected failed resolution of '${type.name}'` }
    const found = type.field(field)
    return found === undefined ? { type: errorType, fault: `undefined field '${field}'` } : { type: found }
  }
  if (type.kind === 'param') known.isAssignable(dynType, type)
  else if (!isDynOrError(type))
    return { type: dynType, fault: `type '${formatType(type)}' does not support field selection` }
  return { type: dynType }
}

/** Of the variables of a loop, which has one or two. */
export function elementTypes(
  type: CelType,
  variables: number,
  known: Substitutions,
): { readonly types: readonly CelType[]; readonly fault?: string } {
  if (type.kind === 'list') return { types: variables === 2 ? [intType, type.of] : [type.of] }
  if (type.kind === 'map') return { types: [type.key, type.value] }
  if (isDynOrError(type) || type.kind === 'param') {
    known.isAssignable(dynType, type)
    return { types: [dynType, dynType] }
  }
  const fault = `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`
  return { types: [errorType, errorType], fault }
}
