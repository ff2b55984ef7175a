// Faults of label selectors, as in apimachinery's apis/meta/v1/validation.

import type { LabelSelector, LabelSelectorRequirement } from '#objects'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { goMap } from '../go-struct.ts'
import { labelValue } from '../metadata/formats.ts'
import { checkLabelName, checkLabels } from '../metadata/validate.ts'

export function checkSelector(selector: LabelSelector | undefined, path: string, errors: FieldError[]): void {
  if (selector === undefined) return
  checkLabels(selector.matchLabels, `${path}.matchLabels`, errors)
  selector.matchExpressions?.forEach((requirement, i) => {
    checkRequirement(requirement, `${path}.matchExpressions[${i}]`, errors)
  })
}

export function checkRequirement(requirement: LabelSelectorRequirement, path: string, errors: FieldError[]): void {
  const { operator, values = [] } = requirement
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  } else errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'))
  checkLabelName(requirement.key ?? '', `${path}.key`, errors)
  values.forEach((value, i) => {
    for (const text of labelValue(value)) errors.push(invalid(`${path}.values[${i}]`, value, text))
  })
}

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

/** Whether the selector can be turned into a predicate at all (`LabelSelectorAsSelector` gives no error). */
export function isUsableSelector(selector: LabelSelector): boolean {
  const errors: FieldError[] = []
  checkSelector(selector, '', errors)
  return errors.length === 0
}

/** Fields in Go's order, for messages. */
export const printableSelector = (selector: LabelSelector): object => ({
  matchLabels: Object.keys(selector.matchLabels ?? {}).length === 0 ? undefined : goMap(selector.matchLabels),
  matchExpressions:
    selector.matchExpressions === undefined || selector.matchExpressions.length === 0
      ? undefined
      : selector.matchExpressions.map(({ key, operator, values }) => ({ key, operator, values })),
})
