// Lease (coordination.k8s.io/v1).

import { type FieldError, invalid, required } from '../field-error.ts'
import { Lease } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { nonNegativeText, qualifiedName } from '../metadata/formats.ts'
import { withDefaults, without } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

function validate({ spec = {} }: Lease): readonly FieldError[] {
  const errors: FieldError[] = []
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'))
  if (leaseTransitions !== undefined && leaseTransitions < 0)
    errors.push(invalid('spec.leaseTransitions', leaseTransitions, nonNegativeText))
  if (strategy !== undefined)
    for (const fault of qualifiedName(strategy)) errors.push(invalid('spec.strategy', strategy, fault))
  if (preferredHolder && !strategy)
    errors.push(required('spec.strategy', 'must be specified when preferredHolder is specified'))
  return errors
}

/** Coordinated elections are behind a gate that is off: their fields are dropped, unless they are stored already. */
function withoutElection(lease: Lease, old?: Lease): Lease {
  const { spec } = lease
  if (spec === undefined) return lease
  const fields = (['strategy', 'preferredHolder'] as const).filter((field) => old?.spec?.[field] === undefined)
  return withDefaults(lease, { spec: without(spec, ...fields) })
}

export const leaseRules: KindRules<Lease> = {
  kind: Lease,
  generation: 'none',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (lease) => withoutElection(lease),
  prepareForUpdate: withoutElection,
  validate,
  columns: [
    nameColumn,
    text(
      'Holder',
      'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.',
      ({ spec }) => spec?.holderIdentity ?? '',
    ),
    ageColumn,
  ],
}
