// Workloads of another kind than Kubernetes' own: virtual machines, Spark applications, rollouts of OpenKruise and Spot.

import { type HealthRule, healthy, progressing } from '../verdict.ts'
import { evaluate, type Rule, type RuleTable } from './rule.ts'

const printed = '{status.printableStatus}'

const virtualMachine: Rule = [
  { conditions: { 'Paused=True': ['Suspended', 'Paused'] } },
  { conditions: { 'Ready=True': ['Healthy', printed, 'Running'] } },
  { when: [['status.created', 'is', true]], conditions: { Ready: ['Progressing', printed, 'Starting'] } },
  { conditions: { Ready: ['Suspended', printed, 'Stopped'] } },
  { answer: ['Progressing', printed, 'No status available'] },
]

const virtualMachineInstance: Rule = [
  {
    field: 'status.phase',
    values: {
      Failed: ['Degraded', '{.}'],
      Pending: ['Progressing', '{.}'],
      Scheduling: ['Progressing', '{.}'],
      Scheduled: ['Progressing', '{.}'],
      Succeeded: ['Suspended', '{.}'],
      Unknown: ['Unknown', '{.}'],
    },
  },
  { conditions: { 'Paused=True': ['Suspended'] } },
  { conditions: { 'Ready=True': ['Healthy', 'Running'], Ready: ['Degraded'] } },
  { answer: ['Progressing', '{status.phase}', 'No status available'] },
]

interface SparkSpec {
  readonly executor?: { readonly instances?: number }
  readonly dynamicAllocation?: {
    readonly enabled?: boolean
    readonly minExecutors?: number
    readonly maxExecutors?: number
  }
  readonly sparkConf?: Readonly<Record<string, string>>
}

interface SparkStatus {
  readonly applicationState?: { readonly state?: string }
  readonly executorState?: Readonly<Record<string, string>>
}

/** How many executors may run where that is left to Spark. */
function allocationOf({ dynamicAllocation, sparkConf }: SparkSpec): readonly [least: number, most: number] | undefined {
  const unlimited = Number.POSITIVE_INFINITY
  if (dynamicAllocation?.enabled === true)
    return [dynamicAllocation.minExecutors ?? 0, dynamicAllocation.maxExecutors ?? unlimited]
  const prefix = ['spark.streaming.dynamicAllocation', 'spark.dynamicAllocation'].find(
    (each) => sparkConf?.[`${each}.enabled`] === 'true',
  )
  if (prefix === undefined) return undefined
  return [
    Number(sparkConf?.[`${prefix}.minExecutors`] ?? 0),
    Number(sparkConf?.[`${prefix}.maxExecutors`] ?? unlimited),
  ]
}

function hasItsExecutors(spec: SparkSpec, count: number): boolean {
  const instances = spec.executor?.instances
  if (instances === count) return true
  const range = allocationOf(spec)
  if (range !== undefined) return count >= range[0] && count <= range[1]
  return spec.dynamicAllocation === undefined && instances === undefined && count >= 1
}

const error = '{status.applicationState.errorMessage}'

const sparkStates: Rule = [
  {
    field: 'status.applicationState.state',
    values: {
      '': ['Progressing', 'SparkApplication was added, enqueuing it for submission'],
      SUBMITTED: ['Progressing', 'SparkApplication was submitted successfully'],
      COMPLETED: ['Healthy', 'SparkApplication was Completed'],
      FAILED: ['Degraded', error],
      SUBMISSION_FAILED: ['Degraded', error],
      PENDING_RERUN: ['Progressing', 'SparkApplication is Pending Rerun'],
      INVALIDATING: ['Missing', 'SparkApplication is in InvalidatingState'],
      SUCCEEDING: ['Progressing', 'The driver pod has completed; the executor pods are being cleaned up'],
      FAILING: ['Degraded', error],
      UNKNOWN: [
        'Progressing',
        'SparkApplication is in UnknownState because either driver pod or one or all executor pods in unknown state',
      ],
    },
  },
  { answer: ['Progressing', 'Waiting for Executor pods'] },
]

const sparkHealth: HealthRule = (object) => {
  const { spec = {}, status } = object as { readonly spec?: SparkSpec; readonly status?: SparkStatus }
  if (status?.applicationState?.state !== 'RUNNING') return evaluate(sparkStates, object)
  const field = 'status.executorState'
  const { executorState } = status
  const count = Object.values(executorState ?? {}).filter((state) => state === 'RUNNING').length
  return executorState !== undefined && hasItsExecutors(spec, count)
    ? healthy([field, count, 'as many run as are asked for'], 'SparkApplication is Running')
    : progressing([field, count, 'fewer or more run than are asked for'], 'Waiting for Executor pods')
}

export const computeTable: RuleTable = {
  'kubevirt.io/VirtualMachine': virtualMachine,
  'kubevirt.io/VirtualMachineInstance': virtualMachineInstance,
  'sparkoperator.k8s.io/SparkApplication': sparkHealth,
  'rollouts.kruise.io/Rollout': [
    {
      when: [['metadata.generation', 'same', 'status.observedGeneration']],
      steps: [
        {
          when: [
            ['status.phase', 'is', 'Progressing'],
            ['status.canaryStatus.currentStepState', 'is', 'StepPaused'],
          ],
          answer: ['Suspended', 'Rollout is Paused need manual intervention'],
        },
        {
          when: [
            ['status.phase', 'is', 'Healthy'],
            ['status.canaryStatus.currentStepState', 'is', 'Completed'],
          ],
          answer: ['Healthy', 'Rollout is Completed'],
        },
        {
          when: [
            ['status.canaryStatus.currentStepState', 'is', 'StepPaused'],
            ['status.phase', 'is', 'Terminating', 'Disabled'],
          ],
          answer: ['Degraded', 'Rollout is Disabled or Terminating'],
        },
      ],
    },
    { answer: ['Progressing', 'Rollout is still progressing'] },
  ],
  'spot.io/SpotDeployment': [
    { when: [['status.conditions', 'unset']], answer: ['Progressing', 'Waiting for rollout to start'] },
    {
      conditions: {
        InvalidSpec: ['Degraded'],
        'Progressing(RolloutAborted|ProgressDeadlineExceeded)': ['Degraded'],
        'Paused=True': ['Suspended', 'Rollout is paused'],
      },
    },
    {
      when: [['status.phase', 'is', 'Progressing']],
      answer: ['Progressing', 'Waiting for rollout to finish steps'],
    },
    { answer: ['Healthy', ''] },
  ],
}
