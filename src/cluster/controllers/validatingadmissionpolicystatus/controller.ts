// Says of ValidatingAdmissionPolicies which of their expressions do not fit the kinds that they are about. A policy is looked
// at once for each of its specs: kinds that come later do not change what was said.
// Reads: ValidatingAdmissionPolicies, CustomResourceDefinitions.  Writes: ValidatingAdmissionPolicies (status).

import { CustomResourceDefinition, ValidatingAdmissionPolicy } from '#kinds'
import { done, type Kit, type Outcome, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { decideWarnings } from './decide.ts'
import { knownKinds } from './known-kinds.ts'

const fieldManager = 'validatingadmissionpolicy-status'

export const policyStatusController = defineController({
  name: 'validatingadmissionpolicystatus',
  account: 'validatingadmissionpolicy-status-controller',
  reconciles: ValidatingAdmissionPolicy,
  reads: [CustomResourceDefinition],
  watches: [watching(ValidatingAdmissionPolicy, ({ metadata }) => [metadata.name ?? ''])],
  reconcile,
})

async function reconcile(name: string, kit: Kit): Promise<Outcome> {
  const policy = kit.cache.get(ValidatingAdmissionPolicy, name)
  if (policy === undefined) return done()
  const { generation = 0 } = policy.metadata
  if (generation <= (policy.status?.observedGeneration ?? 0)) return done()
  const warnings = decideWarnings(policy, knownKinds(kit.cache.list(CustomResourceDefinition)))
  // An application of the status alone has no spec.
  const applied: Omit<ValidatingAdmissionPolicy, 'spec'> = {
    apiVersion: policy.apiVersion,
    kind: policy.kind,
    metadata: { name },
    status: {
      observedGeneration: generation,
      typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
    },
  }
  await kit.client.apply(ValidatingAdmissionPolicy, applied as ValidatingAdmissionPolicy, {
    fieldManager,
    force: true,
    subresource: 'status',
  })
  return done()
}
