// What a certificate request, an APIService or a budget waits for. Pure.

import type { APIService, CertificateSigningRequest, PodDisruptionBudget } from '#kinds'
import type { AnyObject } from '#objects'
import { conditionOf, describeCondition, describeObject, type Finding, sinceTime, withBelow } from './finding.ts'
import { explainGeneric } from './generic.ts'
import { chainOfPod, type PodObservation } from './pod.ts'

export function explainSigningRequest(object: CertificateSigningRequest): Finding {
  const { conditions = [], certificate } = object.status ?? {}
  const { signerName } = object.spec
  const common = {
    object: describeObject(object),
    ...sinceTime(object.metadata.creationTimestamp),
    evidence: [`spec.signerName is ${signerName}`, ...conditions.map(describeCondition)],
  }
  const refused = conditionOf(conditions, 'Denied') ?? conditionOf(conditions, 'Failed')
  if (refused !== undefined)
    return {
      ...common,
      state: 'stuck',
      loop: 'none: it was decided',
      gap: `no certificate is issued: ${refused.message || refused.reason || refused.type}`,
    }
  if (certificate !== undefined && certificate !== '')
    return { ...common, state: 'converged', loop: 'none', gap: 'its certificate is issued' }
  if (conditionOf(conditions, 'Approved') !== undefined)
    return {
      ...common,
      state: signerName.startsWith('kubernetes.io/') ? 'progressing' : 'stuck',
      loop: `signer ${signerName}`,
      gap: 'it is approved, and its signer has not issued the certificate',
    }
  return {
    ...common,
    state: 'stuck',
    loop: 'whoever approves certificates',
    gap: 'nobody has approved or denied it',
    advice: `kubectl certificate approve ${object.metadata.name ?? ''}`,
  }
}

/** `service`: what is to be said of the Service that answers for it. */
export function explainApiService(object: APIService, service: readonly Finding[]): readonly Finding[] {
  const finding = explainGeneric(object as unknown as AnyObject)
  const { service: reference } = object.spec ?? {}
  if (finding.state === 'converged' || reference === undefined) return [finding]
  return withBelow(
    {
      ...finding,
      loop: `whoever runs ${reference.namespace}/${reference.name}`,
      advice:
        'While it is unavailable, its kinds cannot be read and no namespace can be emptied: bring its Service back, or delete the APIService.',
    },
    [service],
  )
}

export function explainBudget(object: PodDisruptionBudget, pods: readonly PodObservation[]): readonly Finding[] {
  const finding = explainGeneric(object as unknown as AnyObject)
  if (finding.state !== 'converged' || object.status === undefined) return [finding]
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = object.status
  const common = {
    object: describeObject(object),
    evidence: [
      `status: ${currentHealthy} of ${expectedPods} pods are healthy, ${desiredHealthy} must be, ${disruptionsAllowed} may be evicted`,
    ],
  }
  if (disruptionsAllowed > 0 || expectedPods === 0)
    return [{ ...common, state: 'converged', loop: 'none', gap: `${disruptionsAllowed} pods may be evicted` }]
  if (currentHealthy < desiredHealthy)
    return withBelow(
      {
        ...common,
        state: 'progressing',
        loop: 'the loops of its pods',
        gap: `no pod may be evicted, and no node with one of them be drained: ${currentHealthy} are healthy, ${desiredHealthy} must be`,
      },
      pods.map(chainOfPod),
    )
  return [
    {
      ...common,
      state: 'converged',
      loop: 'none',
      gap: 'all its pods are healthy, and none may be evicted: a drain of their nodes waits',
      advice: 'Scale the workload up, or let the budget spare fewer pods, before you drain.',
    },
  ]
}
