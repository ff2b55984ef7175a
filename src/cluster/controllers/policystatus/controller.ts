// Says of ValidatingAdmissionPolicies which generation was looked at. Their expressions were compiled when they were
// written; that one names a field which the matched kinds do not have is no warning here.
// Reads: ValidatingAdmissionPolicies.  Writes: ValidatingAdmissionPolicies (status by server-side apply).

import { ValidatingAdmissionPolicy } from '#kinds'
import { done, type Kit, type Outcome, watching } from '#reconcile'
import { defineController } from '../define.ts'

const fieldManager = 'validatingadmissionpolicy-status'

export const policyStatusController = defineController({
  name: 'policystatus',
  account: 'validatingadmissionpolicy-status-controller',
  reconciles: ValidatingAdmissionPolicy,
  watches: [watching(ValidatingAdmissionPolicy, ({ metadata }) => [metadata.name ?? ''])],
  reconcile,
})

async function reconcile(name: string, kit: Kit): Promise<Outcome> {
  const policy = kit.cache.get(ValidatingAdmissionPolicy, name)
  const { generation = 0 } = policy?.metadata ?? {}
  if (policy === undefined || generation <= (policy.status?.observedGeneration ?? 0)) return done()
  const { apiVersion, kind } = policy
  const applied = { apiVersion, kind, metadata: { name }, status: { observedGeneration: generation, typeChecking: {} } }
  const options = { type: 'application/apply-patch+yaml', force: true, fieldManager, subresource: 'status' } as const
  await kit.client.patch(ValidatingAdmissionPolicy, { name }, applied, options)
  return done()
}
