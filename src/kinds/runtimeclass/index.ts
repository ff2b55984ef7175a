// RuntimeClass (node.k8s.io/v1).

import { type FieldError, invalid } from '../field-error.ts'
import { RuntimeClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { dnsLabel, immutableText } from '../metadata/formats.ts'
import { checkLabels } from '../metadata/validate.ts'
import { checkTolerations } from '../podspec/affinity.ts'
import { labelWarning } from '../podspec/placement-warnings.ts'
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
  metaOnUpdate: 'mu',
  generation: 'none',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...(object.handler === old.handler ? [] : [invalid('handler', object.handler, immutableText)]),
  ],
  // Of several labels that are renamed, in order of their names.
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {})
      .sort()
      .flatMap((key) => labelWarning(key, 'scheduling.nodeSelector')),
  columns: [
    nameColumn,
    // Kubernetes has no text for it.
    text('Handler', '', ({ handler }) => handler),
    ageColumn,
  ],
}
