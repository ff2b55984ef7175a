// CSIStorageCapacity (storage.k8s.io/v1).

import { isEqual, parseQuantity } from '#objects'
import { type FieldError, invalid } from '../field-error.ts'
import { CSIStorageCapacity } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { dnsSubdomain, immutableText, nonNegativeText } from '../metadata/formats.ts'
import { selectorWarnings } from '../podspec/placement-warnings.ts'
import { checkSelector, printableSelector } from '../selector/validate.ts'

function validate(capacity: CSIStorageCapacity): readonly FieldError[] {
  const errors: FieldError[] = []
  const { storageClassName = '', nodeTopology } = capacity
  checkSelector(nodeTopology, 'nodeTopology', errors)
  for (const fault of dnsSubdomain(storageClassName)) errors.push(invalid('storageClassName', storageClassName, fault))
  const { capacity: size } = capacity
  if (size !== undefined && parseQuantity(size).nano < 0n)
    errors.push(invalid('capacity', String(size), nonNegativeText))
  return errors
}

export const csiStorageCapacityRules: KindRules<CSIStorageCapacity> = {
  kind: CSIStorageCapacity,
  metaOnUpdate: 'mu',
  generation: 'none',
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate: (capacity, old) => {
    const errors = [...validate(capacity)]
    const { nodeTopology: topology, storageClassName } = capacity
    if (!isEqual(topology, old.nodeTopology))
      errors.push(invalid('nodeTopology', topology ? printableSelector(topology) : null, immutableText))
    if (storageClassName !== old.storageClassName)
      errors.push(invalid('storageClassName', storageClassName ?? '', immutableText))
    return errors
  },
  warnings: ({ nodeTopology }) => selectorWarnings(nodeTopology, 'nodeTopology'),
}
