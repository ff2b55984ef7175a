// Health of what runs applications in a way of its own: Camel, Flagger, Flink, SpinKube, OpenShift's DeploymentConfig.

import type { AnyObject } from '#objects'
import { byCondition, degraded, healthy, progressing, type StatusCondition, type Verdict, verdict } from '../verdict.ts'
import { byReady } from './idioms.ts'
import { valueAt } from './path.ts'
import type { RuleTable } from './rule.ts'

const conditionsOf = (object: AnyObject): readonly StatusCondition[] => {
  const listed = valueAt(object, 'status.conditions')
  return Array.isArray(listed) ? listed : []
}

const numberAt = (object: AnyObject, path: string, otherwise: number): number =>
  Number(valueAt(object, path) ?? otherwise)

/** The last word of each type counts, but that a roll-out has failed counts at once. */
function spinAppHealth(object: AnyObject): Verdict {
  const conditions = conditionsOf(object)
  const failed = conditions.find(isFailedProgress)
  if (failed !== undefined)
    return degraded(byCondition(failed, 'has failed'), failed.message ?? 'Application deployment has failed')
  const available = conditions.findLast(({ type }) => type === 'Available')
  if (available?.status !== 'True')
    return degraded(
      ['status.conditions[type=Available]', available?.status, 'not available'],
      available === undefined ? undefined : (available.message ?? 'Application is not available'),
    )
  const ready = numberAt(object, 'status.readyReplicas', 0)
  const wanted = numberAt(object, 'spec.replicas', 1)
  if (ready < wanted)
    return progressing(
      ['status.readyReplicas', ready, `of ${wanted}`],
      `Waiting for replicas to be ready (${ready}/${wanted})`,
    )
  const moving = conditions.findLast(({ type, status }) => type === 'Progressing' && status === 'True')
  if (moving !== undefined)
    return progressing(byCondition(moving, 'at work'), moving.message ?? 'Application progress status')
  return healthy(byCondition(available, 'available'), `Application is healthy with ${ready}/${wanted} replicas ready`)
}

const isFailedProgress = ({ type, status, reason, message = '' }: StatusCondition): boolean =>
  type === 'Progressing' &&
  status === 'False' &&
  (reason === 'ProgressDeadlineExceeded' || /timeout|failed/i.test(message))

const canaryPhases: Readonly<Record<string, Verdict['status']>> = {
  Failed: 'Degraded',
  Progressing: 'Progressing',
  Finalising: 'Progressing',
  Promoting: 'Progressing',
  Succeeded: 'Healthy',
  Initialized: 'Healthy',
}

/** Phase, weight and all that the conditions say, in one line. */
function canaryHealth(object: AnyObject): Verdict {
  const phase = String(valueAt(object, 'status.phase') ?? '')
  const weight = numberAt(object, 'status.canaryWeight', 0)
  const said = conditionsOf(object).map(({ message = '' }) => message)
  const parts = weight > 0 ? [`Canary Weight: ${weight} %`, ...said] : said
  const health = Object.hasOwn(canaryPhases, phase) ? canaryPhases[phase] : undefined
  return verdict(health ?? 'Unknown', `${phase} --- ${parts.join(' --- ')}`, ['status.phase', phase, 'its phase'])
}

/** Available, and the latest replication controller in charge: both, one or none of the two. */
function deploymentConfigHealth(object: AnyObject): Verdict {
  const good = conditionsOf(object).filter(
    ({ type, status, reason }) =>
      status === 'True' &&
      (type === 'Available' || (type === 'Progressing' && reason === 'NewReplicationControllerAvailable')),
  )
  const replicas = valueAt(object, 'status.replicas')
  const proof: [string, unknown, string] = [
    'status.conditions',
    good.map(({ type }) => type).join(', '),
    'Available and Progressing that are True',
  ]
  if (good.length === 2 || replicas === 0) return healthy(proof, 'replication controller successfully rolled out')
  return good.length === 1
    ? progressing(proof, 'replication controller is waiting for pods to run')
    : degraded(proof, 'Deployment config is degraded')
}

export const applicationTable: RuleTable = {
  'apps.openshift.io/DeploymentConfig': [
    {
      when: [
        ['status.conditions', 'set'],
        ['status.replicas', 'set'],
      ],
      steps: [{ decide: deploymentConfigHealth }],
    },
    { answer: ['Progressing', 'replication controller is waiting for pods to run'] },
  ],
  'camel.apache.org/Integration': byReady('Waiting for Integration'),
  'core.spinkube.dev/SpinApp': [
    { when: [['status', 'unset']], answer: ['Progressing', 'Waiting for status to be available'] },
    { decide: spinAppHealth },
  ],
  'flagger.app/Canary': [{ when: [['status', 'unset']], answer: ['Unknown', 'No status'] }, { decide: canaryHealth }],
  'flink.apache.org/FlinkDeployment': [
    {
      when: [['status.reconciliationStatus', 'set']],
      steps: [
        { when: [['status.reconciliationStatus.success', 'is', true]], answer: ['Healthy'] },
        { when: [['status.reconciliationStatus.state', 'is', 'DEPLOYED']], answer: ['Healthy'] },
        {
          field: 'status.jobManagerDeploymentStatus',
          values: {
            DEPLOYED_NOT_READY: ['Progressing', 'Waiting for deploying'],
            DEPLOYING: ['Progressing', 'Waiting for deploying'],
            ERROR: ['Degraded', '{status.reconciliationStatus.error}'],
          },
        },
      ],
    },
    { answer: ['Progressing', 'Waiting for Flink operator'] },
  ],
}
