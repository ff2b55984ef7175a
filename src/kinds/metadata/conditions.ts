// Faults of conditions of the common form, metav1.Condition. Kinds with conditions of their own form have rules of their own.

import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from '../field-error.ts'
import { byteLength, regexText } from './formats.ts'
import { checkLabelName } from './validate.ts'

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

const statuses = ['False', 'True', 'Unknown']
const [maxReason, maxMessage] = [1024, 32 * 1024]
const reasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonPattern = new RegExp(`^${reasonFormat}$`)
const reasonText = regexText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonFormat,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
)

export function checkConditions(conditions: readonly Condition[], path: string, errors: FieldError[]): void {
  const types = new Set<string>()
  conditions.forEach((condition, i) => {
    const { type = '' } = condition
    if (types.has(type)) errors.push(duplicate(`${path}[${i}].type`, type))
    types.add(type)
    checkCondition(condition, `${path}[${i}]`, errors)
  })
}

function checkCondition(condition: Condition, path: string, errors: FieldError[]): void {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition
  checkLabelName(type, `${path}.type`, errors)
  if (!statuses.includes(status)) errors.push(notSupported(`${path}.status`, status, statuses))
  if (observedGeneration < 0)
    errors.push(invalid(`${path}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero'))
  if (!lastTransitionTime) errors.push(required(`${path}.lastTransitionTime`))
  if (reason === '') errors.push(required(`${path}.reason`))
  else {
    if (!reasonPattern.test(reason)) errors.push(invalid(`${path}.reason`, reason, reasonText))
    if (byteLength(reason) > maxReason) errors.push(tooLong(`${path}.reason`, maxReason))
  }
  if (byteLength(message) > maxMessage) errors.push(tooLong(`${path}.message`, maxMessage))
}
