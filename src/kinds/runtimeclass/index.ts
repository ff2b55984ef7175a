// RuntimeClass (node.k8s.io/v1).

import { duplicate, type FieldError, invalid } from '../field-error.ts'
import { RuntimeClass, type Toleration } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
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
    // The path that Kubernetes tells, which checks the overhead as limits of a container.
    checkContainerResources({ limits: overhead.podFixed }, { path: 'overhead', claimNames: new Set(), errors })
  checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector', errors)
  const tolerations = scheduling?.tolerations ?? []
  checkTolerations(tolerations, 'scheduling.tolerations.tolerations', errors)
  checkUnique(tolerations, errors)
  return errors
}

const internalToleration = goStruct('Key="" Operator="" Value="" Effect="" TolerationSeconds')

function checkUnique(tolerations: readonly Toleration[], errors: FieldError[]): void {
  const seen = new Set<string>()
  tolerations.forEach((toleration, i) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration
    const identity = JSON.stringify([key, operator, value, effect])
    if (seen.has(identity))
      errors.push(duplicate(`scheduling.tolerations[${i}]`, asGoStruct(internalToleration, toleration)))
    seen.add(identity)
  })
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
