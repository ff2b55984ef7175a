// PodTemplate (v1): a template that stands alone.

import { isEqual } from '#objects'
import type { FieldError } from '../field-error.ts'
import { PodTemplate } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { checkTemplate } from '../podspec/validate.ts'
import { templateWarnings } from '../podspec/warnings.ts'
import { formatLabels } from '../selector/format.ts'
import { withDefaults } from '../sharing.ts'
import { containerColumns, nameColumn, text } from '../table/columns.ts'
import { isNewGeneration } from '../workload/warnings.ts'

function validate({ template }: PodTemplate): readonly FieldError[] {
  const errors: FieldError[] = []
  checkTemplate(template ?? {}, 'template', errors)
  return errors
}

export const podTemplateRules: KindRules<PodTemplate> = {
  kind: PodTemplate,
  defaults: (object) => withDefaults(object, { template: templateDefaults(object.template) }),
  generation: (object, old) => object.template !== old.template && !isEqual(object.template, old.template),
  validate,
  warnings: (object, old) => (isNewGeneration(object, old) ? templateWarnings(object.template, 'template') : []),
  columns: [
    nameColumn,
    ...containerColumns<PodTemplate>(({ template }) => template),
    text('Pod Labels', 'The labels for the pod template.', ({ template }) => formatLabels(template?.metadata?.labels)),
  ],
}
