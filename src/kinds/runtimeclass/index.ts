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
    text(
      'Handler',
      'handler specifies the underlying runtime and configuration that the CRI implementation will use to handle pods of this class. The possible values are specific to the node & CRI configuration.  It is assumed that all handlers are available on every node, and handlers of the same name are equivalent on every node. For example, a handler called "runc" might specify that the runc OCI runtime (using native Linux containers) will be used to run the containers in a pod. The Handler must be lowercase, conform to the DNS Label (RFC 1123) requirements, and is immutable.',
      ({ handler }) => handler,
    ),
    ageColumn,
  ],
}
