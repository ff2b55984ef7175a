// Health of clusters and machines that are objects themselves: Cluster API and its EKS control plane, Gardener.

import type { AnyObject } from '#objects'
import { byCondition, type StatusCondition, type Verdict, verdict } from '../verdict.ts'
import { isBehind, type RuleTable } from './rule.ts'

interface ApiCondition extends StatusCondition {
  readonly severity?: string
}

interface ApiStatus {
  readonly phase?: string
  readonly ready?: boolean
  readonly conditions?: readonly ApiCondition[]
}

const statusOf = (object: AnyObject): ApiStatus => (object as { status?: ApiStatus | null }).status ?? {}

/** The phase of a pool with all that is not as it should be. */
function machinePoolHealth(object: AnyObject): Verdict {
  const { phase, conditions = [] } = statusOf(object)
  const failing = conditions
    .filter(({ status }) => status === 'False')
    .map(({ type, reason }) => (reason === undefined ? `Not ${type}` : `Not ${type} (${reason})`))
  const said = phase === undefined ? '' : `MachinePool is ${phase}`
  const message = failing.length === 0 ? said : `${said}: ${failing.join(', ')}`
  const proof = ['status.phase', phase, 'the phase of the pool'] as const
  if (phase === 'Running' || phase === 'Scaling') return verdict('Healthy', message, proof)
  return verdict(phase === 'Failed' || phase === 'Unknown' ? 'Degraded' : 'Progressing', message, proof)
}

/** Ready comes last in the chain of things that can go wrong: a condition is an error only where its severity says so. */
function eksConditionsHealth(object: AnyObject): Verdict {
  const { conditions = [], ready } = statusOf(object)
  const done = conditions.find(({ type, status }) => type === 'Ready' && status === 'True')
  if (done !== undefined) return verdict('Healthy', 'Control plane is ready', byCondition(done, 'ready'))
  const errors = conditions.filter(({ status, severity }) => status === 'False' && severity === 'Error')
  const [first] = errors
  if (first !== undefined) {
    const messages = errors.map(({ message = '' }) => `${message} `).join('')
    return verdict('Degraded', messages, byCondition(first, 'False with the severity Error'))
  }
  const message = ready === false ? 'Control plane is not ready (.status.ready is false)' : 'Control plane is not ready'
  return verdict('Progressing', message, ['status.ready', ready, 'not ready, and no error is said'])
}

/** A Ready that is False with severity Info is the whole normal time of provisioning. */
function clusterReadyHealth(object: AnyObject): Verdict | undefined {
  const failed = statusOf(object).conditions?.find(
    ({ type, status, severity }) => type === 'Ready' && status === 'False' && severity !== 'Info',
  )
  return failed && verdict('Degraded', failed.message, byCondition(failed, 'not ready, and more than a remark'))
}

export const clusterTable: RuleTable = {
  'addons.cluster.x-k8s.io/ClusterResourceSet': [
    {
      conditions: {
        'ResourcesApplied=True': ['Healthy', 'cluster resource set is applied'],
        'ResourcesApplied=False': ['Degraded'],
      },
    },
    { answer: ['Progressing', 'Initializing cluster resource set'] },
  ],
  'cluster.x-k8s.io/Cluster': [
    { when: [['spec.paused', 'is', true]], answer: ['Suspended', 'Cluster is paused'] },
    { decide: clusterReadyHealth },
    { field: 'status.phase', values: { Provisioned: ['Healthy', 'Cluster is running'], Failed: ['Degraded'] } },
    { answer: ['Progressing', 'Waiting for clusters'] },
  ],
  'cluster.x-k8s.io/Machine': [
    { when: [['status.phase', 'is', 'Running']], answer: ['Healthy', 'Machine is running'] },
    {
      when: [['status.phase', 'is', 'Failed']],
      steps: [{ conditions: { 'Ready=False': ['Degraded'] } }, { answer: ['Degraded', 'Condition is unknown'] }],
    },
    { conditions: { 'Ready=False': ['Progressing'] } },
    { answer: ['Progressing', 'Condition is unknown'] },
  ],
  'cluster.x-k8s.io/MachineDeployment': [
    { when: [['spec.paused', 'is', true]], answer: ['Suspended', 'MachineDeployment is paused'] },
    {
      field: 'status.phase',
      values: {
        Running: ['Healthy', 'Machines are running under this deployment'],
        ScalingUp: ['Progressing', 'Cluster is spawning machines'],
        ScalingDown: ['Progressing', 'Cluster is stopping machines'],
        Failed: ['Degraded', 'MachineDeployment is failed'],
      },
    },
    { answer: ['Progressing', 'Waiting for machines'] },
  ],
  'cluster.x-k8s.io/MachineHealthCheck': [
    { when: [['status.currentHealthy', 'unset']], answer: ['Progressing'] },
    { when: [['status.currentHealthy', 'same', 'status.expectedMachines']], answer: ['Healthy'] },
    { answer: ['Degraded'] },
  ],
  'cluster.x-k8s.io/MachinePool': machinePoolHealth,
  'controlplane.cluster.x-k8s.io/AWSManagedControlPlane': [
    { when: [['status', 'unset']], answer: ['Progressing', 'Provisioning...'] },
    { when: isBehind, answer: ['Progressing', 'Waiting for the control plane spec to be reconciled'] },
    {
      when: [
        ['status.failureMessage', 'set'],
        ['status.failureMessage', 'not', ''],
      ],
      answer: ['Degraded', '{status.failureMessage}'],
    },
    { when: [['status.conditions', 'unset']], answer: ['Progressing', 'Provisioning...'] },
    // Ready stays True while it is updated.
    { conditions: { 'EKSControlPlaneUpdating=True': ['Progressing', 'EKS control plane is updating'] } },
    { decide: eksConditionsHealth },
  ],
  'core.gardener.cloud/Shoot': [
    {
      field: 'metadata.labels["shoot.gardener.cloud/status"]',
      values: {
        healthy: ['Healthy', 'Component state: Healthy'],
        progressing: ['Progressing', 'Component state: Update in progress'],
        unhealthy: ['Degraded', 'Component state: Unhealthy'],
        unknown: ['Unknown', 'Component state: Unknown'],
      },
    },
    { answer: ['Progressing', 'Update in progress'] },
  ],
}
