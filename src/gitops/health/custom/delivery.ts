// What delivers other things: Keptn, Pulumi, Ansible, the Operator Lifecycle Manager, SAP's services, identities and secrets.

import {
  byCondition,
  degraded,
  type HealthRule,
  healthy,
  type ProofParts,
  progressing,
  type StatusCondition,
} from '../verdict.ts'
import { byReady } from './idioms.ts'
import type { Rule, RuleTable } from './rule.ts'

interface DatedCondition extends StatusCondition {
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
}

interface Shape {
  readonly spec?: { readonly installPlanApproval?: string }
  readonly status?: {
    readonly conditions?: readonly DatedCondition[]
    readonly state?: string
    readonly installedCSV?: string
  }
}

const keptn = (kind: string, field: string): Rule => [
  { field, values: { Succeeded: ['Healthy', `${kind} is healthy`], Failed: ['Degraded', `${kind} is degraded`] } },
  { answer: ['Progressing', `${kind} is progressing`] },
]

const conditionsField = 'status.conditions'

/** SAP BTP: fine until a condition says otherwise, or was written for another generation. */
const serviceHealth: HealthRule = (object) => {
  const { deletionTimestamp, generation } = object.metadata
  if (deletionTimestamp !== undefined)
    return progressing(['metadata.deletionTimestamp', deletionTimestamp, 'being deleted'], 'Resource is being deleted')
  const conditions = (object as Shape).status?.conditions
  if (conditions === undefined)
    return progressing([conditionsField, undefined, 'not observed yet'], 'Waiting for status')
  for (const condition of conditions) {
    const { type, status, observedGeneration, message } = condition
    if (observedGeneration !== undefined && generation !== undefined && observedGeneration !== generation)
      return progressing(
        byCondition(condition, `written for generation ${observedGeneration}, not ${generation}`),
        'Waiting for spec update to be observed',
      )
    const isFailure = (type === 'Succeeded' && status === 'False') || (type === 'Failed' && status === 'True')
    if (isFailure) return degraded(byCondition(condition, 'failed'), message)
  }
  return healthy([conditionsField, conditions.length, 'none says that it failed'], 'Ready to use')
}

/** In the order in which they came true; those without a time came last. */
const keycloakHealth: HealthRule = (object) => {
  const conditions = (object as Shape).status?.conditions
  if (conditions === undefined)
    return progressing(
      [conditionsField, undefined, 'not observed yet'],
      'Waiting for Keycloak status conditions to exist',
    )
  const timeOf = ({ lastTransitionTime = '\uffff' }: DatedCondition) => lastTransitionTime
  const first = conditions
    .filter(({ type, status }) => status === 'True' && (type === 'Ready' || type === 'HasErrors'))
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0))
    .at(0)
  if (first === undefined) return progressing([conditionsField, undefined, 'neither ready nor failed'])
  return first.type === 'Ready'
    ? healthy(byCondition(first, 'ready'))
    : degraded(byCondition(first, 'failed'), `Has Errors: ${first.message ?? ''}`)
}

const failures = ['CatalogSourcesUnhealthy', 'InstallPlanFailed', 'ResolutionFailed']

const isFailing = ({ type, status, reason }: StatusCondition): boolean =>
  (type === 'InstallPlanMissing' && reason !== 'ReferencedInstallPlanNotFound') ||
  (status === 'True' && failures.includes(type))

/** An upgrade that waits for approval, where the user wanted to approve, leaves what is installed healthy. */
const subscriptionHealth: HealthRule = (object) => {
  const { spec, status } = object as Shape
  const conditions = status?.conditions
  if (status === undefined || conditions === undefined)
    return progressing(
      [conditionsField, undefined, 'not observed yet'],
      'An install plan for a subscription is pending installation',
    )
  const pending = conditions.filter(({ type, status }) => type === 'InstallPlanPending' && status === 'True')
  const isExpected =
    spec?.installPlanApproval === 'Manual' &&
    status.installedCSV !== undefined &&
    pending.some(({ reason }) => reason === 'RequiresApproval')
  const told = conditions
    .map(({ type, status }, index) => ({ type, line: `${index + 1}: ${type} | ${status}\n` }))
    .filter(({ type }) => !isExpected || type !== 'InstallPlanPending')
    .map(({ line }) => line)
  const { state } = status
  const [stateText, stateHealth] = stateOf(state, isExpected)
  const message = `${told.join('')}${stateText}\n`
  const proof: ProofParts = ['status.state', state, 'and its conditions']
  if (stateHealth === 'failed' || conditions.some(isFailing)) return degraded(proof, message)
  const isPending = stateHealth === 'pending' || (pending.length > 0 && !isExpected)
  return isPending ? progressing(proof, message) : healthy(proof, message)
}

function stateOf(state: string | undefined, isExpected: boolean): readonly [string, 'fine' | 'pending' | 'failed'] {
  if (state === undefined) return ['.status.state not yet known', 'pending']
  const text = `.status.state is '${state}'`
  if (state === 'UpgradeFailed') return [text, 'failed']
  if (state === 'UpgradePending' && isExpected)
    return [`${text} (manual InstallPlan approval pending; treated as healthy)`, 'fine']
  return [text, ['', 'UpgradeAvailable', 'UpgradePending'].includes(state) ? 'pending' : 'fine']
}

/** The predecessor of External Secrets. */
const oldSecretHealth: HealthRule = (object) => {
  const { status = '' } = (object['status'] ?? {}) as { readonly status?: string }
  const proof = (rule: string): ProofParts => ['status.status', status, rule]
  if (status === 'SUCCESS') return healthy(proof('fetched'), 'Fetched ExternalSecret.')
  return status.startsWith('ERROR')
    ? degraded(proof('failed'), status.replaceAll('ERROR, ', ''))
    : progressing(proof('not fetched yet'), 'Waiting for ExternalSecret.')
}

const job = '{.} job - {status.ansibleJobResult.url}'

export const deliveryTable: RuleTable = {
  ...Object.fromEntries(
    ['KeptnAppVersion', 'KeptnTask', 'KeptnWorkloadInstance', 'KeptnWorkloadVersion'].map((kind) => [
      `lifecycle.keptn.sh/${kind}`,
      keptn(kind, 'status.status'),
    ]),
  ),
  'lifecycle.keptn.sh/KeptnEvaluation': keptn('KeptnEvaluation', 'status.overallStatus'),
  'metrics.keptn.sh/Analysis': [
    { when: [['status.pass', 'is', true]], answer: ['Healthy', 'Analysis is healthy'] },
    { when: [['status.warning', 'is', true]], answer: ['Healthy', 'Analysis is healthy with warnings'] },
    { when: [['status.pass', 'is', false]], answer: ['Degraded', 'Analysis is degraded'] },
    { answer: ['Progressing', 'Analysis is progressing'] },
  ],
  'metrics.keptn.sh/KeptnMetric': [
    {
      when: [
        ['status.errMsg', 'set'],
        ['status.errMsg', 'not', ''],
      ],
      answer: ['Degraded', 'KeptnMetric is degraded'],
    },
    { when: [['status.value', 'set']], answer: ['Healthy', 'KeptnMetric is healthy'] },
    { answer: ['Progressing', 'KeptnMetric is progressing'] },
  ],
  'pulumi.com/Stack': [
    {
      when: [['status.observedGeneration', 'differs', 'metadata.generation']],
      answer: ['Progressing', 'Waiting for the operator to observe the latest spec change'],
    },
    {
      conditions: { 'Stalled=True': ['Degraded'], 'Reconciling=True': ['Progressing'], 'Ready=True': ['Healthy'] },
    },
    { answer: ['Progressing', 'Waiting for the stack to be reconciled'] },
  ],
  'tower.ansible.com/AnsibleJob': [
    {
      field: 'status.ansibleJobResult.status',
      values: {
        successful: ['Healthy', job],
        failed: ['Degraded', job],
        error: ['Degraded', job],
        canceled: ['Degraded', job],
        new: ['Progressing', job],
        pending: ['Progressing', job],
        waiting: ['Progressing', job],
        running: ['Progressing', job],
      },
    },
    { answer: ['Progressing', 'Waiting for AnsibleJob'] },
  ],
  'operators.coreos.com/Subscription': subscriptionHealth,
  'services.cloud.sap.com/ServiceBinding': serviceHealth,
  'services.cloud.sap.com/ServiceInstance': serviceHealth,
  'onepassword.com/OnePasswordItem': byReady('Waiting for controller to report status'),
  'kubernetes-client.io/ExternalSecret': oldSecretHealth,
  'k8s.keycloak.org/Keycloak': keycloakHealth,
  'proclaim.dogmatiq.io/DNSSDServiceInstance': [
    { conditions: { 'Adopted=False': ['Degraded'] } },
    { conditions: { 'Advertised(AdvertiseError|UnadvertiseError)': ['Degraded'] } },
    { conditions: { 'Discoverable(DiscoveryError)': ['Unknown'] } },
    { conditions: { 'Discoverable=True': ['Healthy'], Discoverable: ['Progressing'] } },
    { answer: ['Progressing', ''] },
  ],
}
