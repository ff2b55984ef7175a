// What Deployments, ReplicaSets, StatefulSets and DaemonSets check alike: a selector that selects the pods of the template.

import { type LabelSelector, matchesLabels } from '#objects'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { PodTemplateSpec } from '../generated/types.ts'
import { goMap } from '../go-struct.ts'
import { nonNegativeText, percent } from '../metadata/formats.ts'
import { checkSelector, isEmptySelector, isUsableSelector, printableSelector } from '../selector/validate.ts'

/** A selector that must be there and select something. */
export function checkOwnSelector(
  selector: LabelSelector | null | undefined,
  { path, selectorOf, errors }: { readonly path: string; readonly selectorOf: string; readonly errors: FieldError[] },
): void {
  if (selector == null) errors.push(required(path))
  else {
    checkSelector(selector, path, errors)
    if (isEmptySelector(selector))
      errors.push(invalid(path, printableSelector(selector), `empty selector is invalid for ${selectorOf}`))
  }
}

/** It is there, but no predicate can be made of it. */
export const isUnusable = (selector: LabelSelector | null | undefined): boolean =>
  selector != null && !isUsableSelector(selector)

export const selects = (selector: LabelSelector | null | undefined, template: PodTemplateSpec): boolean =>
  selector != null && matchesLabels(selector, template.metadata?.labels ?? {})

const mismatchText = '`selector` does not match template `labels`'

/**
 * The selector as the controller will read it must match the labels of the template. A missing selector matches nothing;
 * an unusable one is a fault of its own; an empty one is let pass here.
 */
export function checkSelectsTemplate(
  selector: LabelSelector | null | undefined,
  template: PodTemplateSpec,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (isUnusable(selector) || (selector != null && isEmptySelector(selector))) return
  if (!selects(selector, template))
    errors.push(invalid(`${path}.metadata.labels`, goMap(template.metadata?.labels), mismatchText))
}

export function checkRestartAlways(template: PodTemplateSpec, path: string, errors: FieldError[]): void {
  const policy = template.spec?.restartPolicy
  if (policy !== 'Always') errors.push(notSupported(`${path}.spec.restartPolicy`, policy ?? '', ['Always']))
}

export function checkNonNegative(value: number | undefined, path: string, errors: FieldError[]): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, nonNegativeText))
}

/** A count or a percentage. */
export function checkCountOrPercent(value: number | string | undefined, path: string, errors: FieldError[]): void {
  if (typeof value === 'string') for (const text of percent(value)) errors.push(invalid(path, value, text))
  else if (value !== undefined) checkNonNegative(value, path, errors)
}

/** The number of a percentage, or undefined if it is none. */
export const percentOf = (value: number | string | undefined): number | undefined =>
  typeof value === 'string' && percent(value).length === 0 ? Number.parseInt(value, 10) : undefined

export function checkAtMostAll(value: number | string | undefined, path: string, errors: FieldError[]): void {
  if ((percentOf(value) ?? 0) > 100) errors.push(invalid(path, value, 'must not be greater than 100%'))
}

/** A count or percentage as a number: what it is of 0 does not matter, only whether it is zero. */
export const isZero = (value: number | string | undefined): boolean =>
  typeof value === 'string' ? (percentOf(value) ?? 0) === 0 : (value ?? 0) === 0

export function checkImmutableSelector(
  selector: LabelSelector | null | undefined,
  unchanged: boolean,
  errors: FieldError[],
): void {
  if (!unchanged)
    errors.push(invalid('spec.selector', selector == null ? null : printableSelector(selector), 'field is immutable'))
}
