// ValidatingAdmissionPolicy (admissionregistration.k8s.io/v1).

import { matchDefaults } from '../admissionrule/match.ts'
import { ValidatingAdmissionPolicy } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, integer, nameColumn, text } from '../table/columns.ts'
import { validatePolicy, validatePolicyStatus } from './validate.ts'

function paramKindCell({ spec }: ValidatingAdmissionPolicy): string {
  const { apiVersion = '', kind = '' } = spec?.paramKind ?? {}
  return spec?.paramKind === undefined ? '<unset>' : `${apiVersion}/${kind}`
}

export const validatingAdmissionPolicyRules: KindRules<ValidatingAdmissionPolicy> = {
  kind: ValidatingAdmissionPolicy,
  statusKeepsMetadata: true,
  allowUnconditionalUpdate: false,
  defaults: (policy) => {
    const { spec = {} } = policy
    return withDefaults(policy, {
      spec: withDefaults(spec, {
        failurePolicy: spec.failurePolicy ?? 'Fail',
        matchConstraints: spec.matchConstraints && matchDefaults(spec.matchConstraints),
      }),
    })
  },
  validate: validatePolicy,
  validateStatusUpdate: validatePolicyStatus,
  columns: [
    nameColumn,
    integer(
      'Validations',
      'Validations indicates the number of validation rules defined in this configuration',
      ({ spec }) => spec?.validations?.length ?? 0,
    ),
    text('ParamKind', 'ParamKind specifies the kind of resources used to parameterize this policy', paramKindCell),
    ageColumn,
  ],
}
