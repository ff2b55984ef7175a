// Whether rules are kept: Kyverno's policies, and those of Open Cluster Management over a fleet; and Karmada's bindings to one.

import type { AnyObject } from '#objects'
import { degraded, type HealthRule, healthy, type ProofParts, progressing, type Verdict } from '../verdict.ts'
import { isBehind, type RuleTable } from './rule.ts'

const notReported = 'Waiting for the status to be reported'

const judged = (compliant: string, proof: ProofParts, message?: string): Verdict =>
  compliant === 'Compliant' ? healthy(proof, message) : degraded(proof, message)

interface Configuration {
  readonly status?: {
    readonly compliant?: string
    readonly lastEvaluatedGeneration?: number
    readonly compliancyDetails?: readonly {
      readonly conditions?: readonly { readonly type?: string; readonly message?: string }[]
    }[]
  }
}

const configurationHealth: HealthRule = (object) => {
  const { compliant, lastEvaluatedGeneration, compliancyDetails } = (object as Configuration).status ?? {}
  const field = 'status.compliant'
  if (compliant === undefined) return progressing([field, undefined, 'not reported yet'], notReported)
  const { generation } = object.metadata
  if (lastEvaluatedGeneration !== generation)
    return progressing(
      ['status.lastEvaluatedGeneration', lastEvaluatedGeneration, `differs from metadata.generation (${generation})`],
      'Waiting for the status to be updated',
    )
  if (compliancyDetails === undefined)
    return progressing(['status.compliancyDetails', undefined, 'not reported yet'], 'Waiting for compliance')
  const told = compliancyDetails
    .flatMap(({ conditions = [] }) => conditions)
    .filter(({ type, message }) => type !== undefined && message !== undefined)
    .map(({ type, message }) => `${type} - ${message}`)
  return judged(compliant, [field, compliant, 'what the cluster says'], told.join('; '))
}

interface FleetPolicy {
  readonly spec?: { readonly disabled?: boolean }
  readonly status?: {
    readonly compliant?: string
    readonly placement?: readonly unknown[]
    /** Of the policy in the hub: by cluster. */
    readonly status?: readonly { readonly compliant?: string; readonly clustername?: string }[]
    /** Of its copy in a cluster: by template. */
    readonly details?: readonly { readonly compliant?: string; readonly templateMeta?: { readonly name?: string } }[]
  }
}

const policyHealth: HealthRule = (object) => {
  const { spec, status } = object as FleetPolicy
  if (spec?.disabled === true) return healthy(['spec.disabled', true, 'disabled by the user'], 'Policy is disabled')
  const field = 'status.compliant'
  const compliant = status?.compliant
  if (status === undefined || compliant === undefined) {
    const isPlaced = status?.status === undefined && (status?.placement ?? []).length > 0
    return isPlaced
      ? healthy(['status.placement', undefined, 'matches no cluster'], 'No clusters match this policy')
      : progressing([field, undefined, 'not reported yet'], notReported)
  }
  return judged(compliant, [field, compliant, 'what the clusters say'], offenders(status))
}

function offenders({ status, details }: NonNullable<FleetPolicy['status']>): string | undefined {
  const names = (nouns: string, all: readonly string[]) =>
    all.length === 0 ? `All ${nouns} are compliant` : `NonCompliant ${nouns}: ${all.join(', ')}`
  const isBad = ({ compliant }: { readonly compliant?: string }) => compliant !== 'Compliant'
  if (status !== undefined)
    return names(
      'clusters',
      status.filter(isBad).map(({ clustername = '' }) => clustername),
    )
  if (details === undefined) return undefined
  return names(
    'templates',
    details.filter(isBad).map(({ templateMeta }) => templateMeta?.name ?? ''),
  )
}

interface Binding {
  readonly spec?: { readonly clusters?: readonly unknown[] }
  readonly status?: {
    readonly aggregatedStatus?: readonly { readonly health?: string; readonly applied?: boolean }[]
  }
}

/** Every cluster that was chosen must have answered. What follows another resource to its clusters chooses none itself. */
const bindingHealth =
  (mayFollow: boolean) =>
  (object: AnyObject): Verdict => {
    const { spec, status } = object as Binding
    const answers = status?.aggregatedStatus ?? []
    const chosen = spec?.clusters?.length ?? (mayFollow ? answers.length : 0)
    const field = 'status.aggregatedStatus'
    if (chosen === 0 || answers.length !== chosen)
      return progressing([field, answers.length, `of ${chosen} clusters`], 'Current resource status is insufficient')
    const sick = answers.find(
      ({ health, applied }) => health === 'Unhealthy' || (health === 'Unknown' && applied !== true),
    )
    return sick === undefined
      ? healthy([field, answers.length, 'none is unhealthy'])
      : degraded([field, sick.health, 'unhealthy, or not applied'], 'Current resource status is unhealthy')
  }

export const complianceTable: RuleTable = {
  'kyverno.io/Policy': [
    { conditions: { 'Ready=True(Succeeded)"Ready"': ['Healthy', 'Policy is ready'] } },
    { answer: ['Progressing', 'Waiting for Policy to be ready'] },
  ],
  'policy.open-cluster-management.io/CertificatePolicy': [
    {
      field: 'status.compliant',
      values: { Compliant: ['Healthy', 'All certificates found comply with the policy'] },
      otherwise: ['Degraded', 'At least once certificate does not comply with the policy'],
    },
    { answer: ['Progressing', notReported] },
  ],
  'policy.open-cluster-management.io/ConfigurationPolicy': configurationHealth,
  'policy.open-cluster-management.io/OperatorPolicy': [
    { when: [['status.conditions', 'unset']], answer: ['Progressing', notReported] },
    { when: isBehind, answer: ['Progressing', 'Waiting for the status to be updated'] },
    { conditions: { 'Compliant=True': ['Healthy'], Compliant: ['Degraded'] } },
    { answer: ['Progressing', 'Waiting for the compliance condition'] },
  ],
  'policy.open-cluster-management.io/Policy': policyHealth,
  'work.karmada.io/ClusterResourceBinding': bindingHealth(false),
  'work.karmada.io/ResourceBinding': bindingHealth(true),
}
