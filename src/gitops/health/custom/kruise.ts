// Health of OpenKruise's workloads, game servers and rollouts. Their roll-outs are made to stop: at a pause, and at a
// partition, which is the number of replicas (or pods) that keep the old version.

import type { AnyObject } from '#objects'
import { type Verdict, verdict } from '../verdict.ts'
import { valueAt } from './path.ts'
import type { Rule, RuleTable, Step, Test } from './rule.ts'

const unseen = (waiting: string): Rule => [
  { when: [['status', 'unset']], answer: ['Progressing', waiting] },
  { when: [['status.observedGeneration', 'differs', 'metadata.generation']], answer: ['Progressing', waiting] },
]

const waiting = 'Waiting for initialization'

const stopped = (pause: string, updated: string, message: string): Rule => [
  { when: [[pause, 'is', true]], answer: ['Suspended', message] },
  { when: [[updated, 'unset']], answer: ['Suspended', message] },
]

interface Partition {
  /** Path of the number that stays behind. */
  readonly held: string
  readonly updated: string
  readonly all: string
  readonly kind: string
}

/** At a partition of an object that was changed: more than the others are updated, so somebody has to move it on. */
const atPartition = ({ held, updated, all, kind }: Partition): Step => ({
  when: [
    [held, 'set'],
    [held, 'not', 0],
    ['metadata.generation', 'atLeast', 2],
  ],
  steps: [
    {
      decide: (object: AnyObject): Verdict | undefined => {
        const isThere = numberAt(object, updated) > numberAt(object, all) - numberAt(object, held)
        if (!isThere) return undefined
        const proof = [updated, valueAt(object, updated), `more than ${all} without ${held}`] as const
        return verdict('Suspended', `${kind} needs manual intervention`, proof)
      },
    },
    { answer: ['Progressing', waiting] },
  ],
})

const numberAt = (object: AnyObject, path: string): number => Number(valueAt(object, path) ?? 0)

const allUpdated: Test = ['status.updatedAvailableReplicas', 'same', 'status.replicas']

const cloneSet: Rule = [
  ...unseen(waiting),
  ...stopped('spec.updateStrategy.paused', 'status.updatedAvailableReplicas', 'Cloneset is paused'),
  {
    when: [
      ['spec.updateStrategy.partition', 'not', 0],
      ['metadata.generation', 'atLeast', 2],
    ],
    steps: [
      {
        when: [['status.updatedReplicas', 'atLeast', 'status.expectedUpdatedReplicas']],
        answer: ['Suspended', 'Cloneset needs manual intervention'],
      },
      { answer: ['Progressing', waiting] },
    ],
  },
  { when: [allUpdated], answer: ['Healthy', 'All Cloneset workloads are ready and updated'] },
  { answer: ['Degraded', 'Some replicas are not ready or available'] },
]

const statefulSet: Rule = [
  ...unseen(waiting),
  ...stopped('spec.updateStrategy.rollingUpdate.paused', 'status.updatedAvailableReplicas', 'Statefulset is paused'),
  atPartition({
    held: 'spec.updateStrategy.rollingUpdate.partition',
    updated: 'status.updatedReplicas',
    all: 'status.replicas',
    kind: 'Statefulset',
  }),
  { when: [allUpdated], answer: ['Healthy', 'All Statefulset workloads are ready and updated'] },
  { answer: ['Degraded', 'Some replicas are not ready or available'] },
]

const daemonSet: Rule = [
  ...unseen(waiting),
  ...stopped('spec.updateStrategy.rollingUpdate.paused', 'status.updatedNumberScheduled', 'Daemonset is paused'),
  atPartition({
    held: 'spec.updateStrategy.rollingUpdate.partition',
    updated: 'status.updatedNumberScheduled',
    all: 'status.desiredNumberScheduled',
    kind: 'Daemonset',
  }),
  {
    when: [
      ['status.updatedNumberScheduled', 'same', 'status.desiredNumberScheduled'],
      ['status.numberAvailable', 'same', 'status.desiredNumberScheduled'],
    ],
    answer: ['Healthy', 'All Daemonset workloads are ready and updated'],
  },
  {
    when: [
      ['status.updatedNumberScheduled', 'same', 'status.desiredNumberScheduled'],
      ['status.numberUnavailable', 'same', 'status.desiredNumberScheduled'],
    ],
    answer: ['Degraded', 'Some pods are not ready or available'],
  },
  { answer: ['Progressing', waiting] },
]

const gameServerSetWaiting = 'Waiting for GameServerSet initialization'

function gameServerSetHealth(object: AnyObject): Verdict {
  const held = numberAt(object, 'spec.updateStrategy.rollingUpdate.partition')
  const replicas = numberAt(object, 'status.replicas')
  const ready = numberAt(object, 'status.readyReplicas')
  const updated = numberAt(object, 'status.updatedReplicas')
  if (held !== 0 && updated >= replicas - held)
    return verdict('Suspended', `Partition=${held}, waiting for manual intervention`, [
      'status.updatedReplicas',
      updated,
      'all but the partition are updated',
    ])
  const updatedReady = numberAt(object, 'status.updatedReadyReplicas')
  if (updatedReady === replicas)
    return verdict('Healthy', 'All GameServerSet replicas are updated and ready', [
      'status.updatedReadyReplicas',
      updatedReady,
      'equals status.replicas',
    ])
  const message = ready < replicas ? `ReadyReplicas ${ready}/${replicas}, still progressing` : gameServerSetWaiting
  return verdict('Progressing', message, ['status.readyReplicas', ready, 'not all are updated and ready'])
}

function stateChange(object: AnyObject): Verdict | undefined {
  const now = valueAt(object, 'status.currentState')
  const wanted = valueAt(object, 'status.desiredState')
  if (now === wanted) return undefined
  const message = `State change: ${now ?? 'Unknown'} → ${wanted ?? 'Unknown'}`
  return verdict('Progressing', message, ['status.currentState', now, 'differs from status.desiredState'])
}

export const kruiseTable: RuleTable = {
  'apps.kruise.io/AdvancedCronJob': [
    {
      when: [
        ['status.lastScheduleTime', 'unset'],
        ['spec.paused', 'is', true],
      ],
      answer: ['Suspended', 'AdvancedCronJob is Paused'],
    },
    { when: [['status.active[0]', 'set']], answer: ['Progressing', 'AdvancedCronJobs has active jobs'] },
    {
      when: [['status.lastScheduleTime', 'unset']],
      answer: ['Degraded', 'AdvancedCronJobs has not run successfully'],
    },
    { answer: ['Healthy', 'AdvancedCronJobs has run successfully'] },
  ],
  'apps.kruise.io/BroadcastJob': [
    {
      when: [
        ['status.phase', 'is', 'completed'],
        ['status.succeeded', 'same', 'status.desired'],
      ],
      answer: ['Healthy', 'BroadcastJob is completed successfully'],
    },
    {
      when: [
        ['status.phase', 'is', 'failed'],
        ['status.failed', 'not', 0],
      ],
      answer: ['Degraded', 'BroadcastJob failed'],
    },
    {
      when: [
        ['status.phase', 'is', 'paused'],
        ['spec.paused', 'is', true],
      ],
      answer: ['Suspended', 'BroadcastJob is Paused'],
    },
    { answer: ['Progressing', 'BroadcastJob is still running'] },
  ],
  'apps.kruise.io/CloneSet': cloneSet,
  'apps.kruise.io/DaemonSet': daemonSet,
  'apps.kruise.io/StatefulSet': statefulSet,
  'game.kruise.io/GameServer': [
    { when: [['status', 'unset']], answer: ['Unknown', 'Waiting for GameServer to be ready'] },
    { decide: stateChange },
    {
      at: 'status.podStatus.conditions',
      conditions: { 'KruisePodReady!=True': ['Degraded', 'Pod is not ready: {.type}'] },
    },
    { when: [['status.currentState', 'is', 'Ready']], answer: ['Healthy', 'GameServer is Ready'] },
    { answer: ['Unknown', 'Waiting for GameServer to be ready'] },
  ],
  'game.kruise.io/GameServerSet': [
    ...unseen(gameServerSetWaiting),
    {
      when: [['spec.updateStrategy.rollingUpdate.paused', 'is', true]],
      answer: ['Suspended', 'GameServerSet is paused'],
    },
    { decide: gameServerSetHealth },
  ],
}
