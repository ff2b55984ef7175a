// RuntimeClass (node.k8s.io/v1).

import { type FieldError, invalid } from '../field-error.ts'
import { RuntimeClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { dnsLabel, immutableText } from '../metadata/formats.ts'
import { checkLabels } from '../metadata/validate.ts'
import { checkTolerations } from '../podspec/affinity.ts'
import { checkContainerResources } from '../podspec/resources.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

function validate({ handler = '', overhead, scheduling }: RuntimeClass): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const fault of dnsLabel(handler)) errors.push(invalid('handler', handler, fault))
  if (overhead?.podFixed !== undefined)
    checkContainerResources({ limits: overhead.podFixed }, { path: 'overhead.podFixed', claimNames: new Set(), errors })
  checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector', errors)
  checkTolerations(scheduling?.tolerations ?? [], 'scheduling.tolerations', errors)
  return errors
}

export const runtimeClassRules: KindRules<RuntimeClass> = {
  kind: RuntimeClass,
  generation: 'none',
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate: ({ handler }, old) => (handler === old.handler ? [] : [invalid('handler', handler, immutableText)]),
  columns: [
    nameColumn,
    // Kubernetes has no text for it.
    text('Handler', '', ({ handler }) => handler),
    ageColumn,
  ],
}
