// Pod templates of workloads that keep pods running: the template must be sound, its pods restart and have no deadline.

import type { LabelSelector } from '#objects'
import { type FieldError, forbidden, invalid } from '../field-error.ts'
import type { PodTemplateSpec } from '../generated/types.ts'
import { checkTemplate } from '../podspec/validate.ts'
import { printableSelector } from '../selector/validate.ts'
import { checkOwnSelector, checkRestartAlways, checkSelectsTemplate, isUnusable } from './selector.ts'

export interface TemplateRules {
  /** As in the fault of an empty selector: `empty selector is invalid for deployment`. */
  readonly selectorOf: string
  /** As in the fault of a deadline: `activeDeadlineSeconds in ReplicaSet is not Supported`. */
  readonly deadlineIn: string
}

/** Selector and template of a Deployment or ReplicaSet. */
export function checkSelectorAndTemplate(
  spec: { readonly selector?: LabelSelector | null; readonly template?: PodTemplateSpec },
  rules: TemplateRules,
  errors: FieldError[],
): void {
  const template = spec.template ?? {}
  checkOwnSelector(spec.selector, { path: 'spec.selector', selectorOf: rules.selectorOf, errors })
  if (isUnusable(spec.selector)) {
    errors.push(invalid('spec.selector', printableSelector(spec.selector ?? {}), 'invalid label selector'))
    return
  }
  checkSelectsTemplate(spec.selector, template, { path: 'spec.template', errors })
  checkTemplate(template, 'spec.template', errors)
  checkRestartAlways(template, 'spec.template', errors)
  checkNoDeadline(template, rules.deadlineIn, errors)
}

export function checkNoDeadline(template: PodTemplateSpec, kind: string, errors: FieldError[]): void {
  if (template.spec?.activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`),
    )
}
