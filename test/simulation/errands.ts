// What people do to a cluster between the first and the last word of a play, each errand drawn from the seed: they scale,
// roll out, delete, evict, drain, cut nodes off, run jobs, bring on Faults. `putRight` takes back what applying the cast
// does not.

import { isNotFound } from '#api'
import {
  CronJob,
  DaemonSet,
  Deployment,
  Fault,
  Job,
  type Kind,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  type PodTemplateSpec,
  ResourceQuota,
  Service,
  StatefulSet,
} from '#kinds'
import type { Random } from '#world'
import type { TestMachine } from '../support/machine.ts'
import { deployment, namespace } from '../support/manifests.ts'
import { images, stage } from './cast.ts'
import { drawFault, endFaults } from './faults.ts'

const merge = { type: 'application/merge-patch+json' } as const
const strategic = { type: 'application/strategic-merge-patch+json' } as const
const nodeNames = ['node-0', 'node-1', 'node-2'] as const
const sideStage = 'side'

export interface Errand {
  readonly what: string
  run(test: TestMachine): Promise<unknown>
}

const at = (name: string) => ({ namespace: stage, name })
const pick = <T>(random: Random, from: readonly T[]): T => from[random.int(from.length)] as T

const scalable = [
  ['deployment', 'web', Deployment],
  ['deployment', 'api', Deployment],
  ['deployment', 'old', Deployment],
  ['statefulset', 'db', StatefulSet],
  ['statefulset', 'cache', StatefulSet],
] as readonly (readonly [string, string, Kind])[]
const daemons = [
  ['daemonset', 'agent', DaemonSet],
  ['daemonset', 'edge', DaemonSet],
] as unknown as typeof scalable
const apps = [...scalable, ...daemons].map(([, name]) => name)

type Maker = (random: Random) => Errand

const errand = (what: string, run: Errand['run']): Errand => ({ what, run })

const makers: readonly (readonly [weight: number, make: Maker])[] = [
  [
    6,
    (random) => {
      const [type, name, kind] = pick(random, scalable)
      // Sets with claims do not grow: their claims would stay.
      const replicas = random.int(name === 'db' ? 4 : 7)
      return errand(`scale ${type}/${name} to ${replicas}`, ({ client }) =>
        client.patch(kind, at(name), { spec: { replicas } }, merge),
      )
    },
  ],
  [
    6,
    (random) => {
      const [type, name, kind] = pick(random, [...scalable, ...daemons])
      const image = pick(random, images)
      const template = { spec: { containers: [{ name: 'app', image }] } }
      return errand(`set image of ${type}/${name} to ${image}`, ({ client }) =>
        client.patch(kind, at(name), { spec: { template } }, strategic),
      )
    },
  ],
  [
    4,
    (random) => {
      const app = pick(random, apps)
      const nth = random.int(4)
      const force = random.int(6) === 0
      return errand(`delete pod ${nth} of ${app}${force ? ' by force' : ''}`, (test) =>
        withPod(test, app, nth, (name) =>
          test.client.delete(Pod, at(name), force ? { gracePeriodSeconds: 0 } : undefined),
        ),
      )
    },
  ],
  [
    4,
    (random) => {
      const app = pick(random, ['web', 'db'])
      const nth = random.int(4)
      return errand(`evict pod ${nth} of ${app}`, (test) => withPod(test, app, nth, (name) => evict(test, name)))
    },
  ],
  [
    2,
    (random) => {
      const node = pick(random, nodeNames)
      return errand(`drain ${node}`, (test) => drain(test, node))
    },
  ],
  [
    2,
    (random) => {
      const node = pick(random, nodeNames)
      return errand(`uncordon ${node}`, ({ client }) =>
        client.patch(Node, { name: node }, { spec: { unschedulable: null } }, merge),
      )
    },
  ],
  [
    1,
    (random) => {
      const node = pick(random, nodeNames)
      const effect = pick(random, ['NoExecute', 'NoSchedule'])
      const taints = random.int(2) === 0 ? null : [{ key: 'maintenance', effect }]
      return errand(`${taints === null ? 'free' : `taint (${effect})`} ${node}`, ({ client }) =>
        client.patch(Node, { name: node }, { spec: { taints } }, merge),
      )
    },
  ],
  [
    2,
    (random) => {
      const node = pick(random, nodeNames)
      const isOff = random.int(3) > 0
      return errand(`${isOff ? 'cut off' : 'bring back'} ${node}`, async ({ machine }) =>
        isOff ? machine.residents.kubelet?.stopNode(node) : machine.residents.kubelet?.startNode(node),
      )
    },
  ],
  [
    3,
    (random) => {
      const app = pick(random, apps)
      const nth = random.int(3)
      return errand(`kill the container of pod ${nth} of ${app}`, (test) =>
        withPod(test, app, nth, async (_name, pod) => test.machine.residents.kubelet?.kill(pod, 'app', 9)),
      )
    },
  ],
  [5, makeJob],
  [
    2,
    (random) => {
      const name = `job-${random.int(4)}`
      const propagationPolicy = pick(random, ['Foreground', 'Background', 'Orphan'] as const)
      return errand(`delete job/${name} (${propagationPolicy})`, ({ client }) =>
        client.delete(Job, at(name), { propagationPolicy }),
      )
    },
  ],
  [
    1,
    (random) => {
      const name = `job-${random.int(4)}`
      const suspend = random.int(2) === 0
      return errand(`${suspend ? 'suspend' : 'resume'} job/${name}`, ({ client }) =>
        client.patch(Job, at(name), { spec: { suspend } }, merge),
      )
    },
  ],
  [
    1,
    (random) => {
      const concurrencyPolicy = pick(random, ['Allow', 'Forbid', 'Replace'] as const)
      return errand(`run a CronJob every minute (${concurrencyPolicy})`, ({ client }) =>
        client.create(CronJob, {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: at('tick'),
          spec: { schedule: '* * * * *', concurrencyPolicy, jobTemplate: { spec: { template: work('sleep 20') } } },
        }),
      )
    },
  ],
  [
    1,
    (random) => {
      const paused = random.int(2) === 0
      return errand(`${paused ? 'pause' : 'resume'} deployment/web`, ({ client }) =>
        client.patch(Deployment, at('web'), { spec: { paused } }, merge),
      )
    },
  ],
  [
    1,
    (random) => {
      const propagationPolicy = pick(random, ['Foreground', 'Background', 'Orphan'] as const)
      return errand(`delete deployment/old (${propagationPolicy})`, ({ client }) =>
        client.delete(Deployment, at('old'), { propagationPolicy }),
      )
    },
  ],
  [
    1,
    (random) => {
      const propagationPolicy = pick(random, ['Foreground', 'Background', 'Orphan'] as const)
      return errand(`delete statefulset/cache (${propagationPolicy})`, ({ client }) =>
        client.delete(StatefulSet, at('cache'), { propagationPolicy }),
      )
    },
  ],
  [
    1,
    (random) => {
      const pods = String(random.int(30))
      return errand(`allow ${pods} pods`, ({ client }) =>
        client.patch(ResourceQuota, at('limits'), { spec: { hard: { pods } } }, merge),
      )
    },
  ],
  [
    1,
    (random) => {
      const minAvailable = 1 + random.int(4)
      return errand(`let the budget of web be ${minAvailable}`, ({ client }) =>
        client.patch(PodDisruptionBudget, at('web'), { spec: { minAvailable } }, merge),
      )
    },
  ],
  [
    1,
    (random) => {
      const name = pick(random, ['web', 'api', 'agent'])
      return errand(`delete service/${name}`, ({ client }) => client.delete(Service, at(name)))
    },
  ],
  [
    1,
    (random) => {
      const nth = random.int(3)
      return errand(`delete claim ${nth} of db`, ({ client }) =>
        client.delete(PersistentVolumeClaim, at(`data-db-${nth}`)),
      )
    },
  ],
  [
    1,
    (random) => {
      const app = pick(random, ['web', 'api', 'agent'])
      return errand(`take a pod of ${app} out of its set`, (test) =>
        withPod(test, app, 0, (name) =>
          test.client.patch(Pod, at(name), { metadata: { labels: { app: 'nobodys' } } }, merge),
        ),
      )
    },
  ],
  [
    1,
    () =>
      errand(`open namespace ${sideStage}`, async ({ client }) => {
        await client.create(Namespace, namespace(sideStage))
        await client.create(Deployment, deployment('web', { namespace: sideStage, replicas: 2 }))
        await client.create(Job, jobOf(at('side'), { completions: 2 }, 'sleep 5', sideStage))
        await client.create(Service, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web', namespace: sideStage },
          spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
        })
        await client.create(PodDisruptionBudget, {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'web', namespace: sideStage },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
        } as PodDisruptionBudget)
      }),
  ],
  [
    5,
    (random) => {
      const fault = drawFault(random, pick(random, nodeNames))
      return errand(`bring on ${fault.metadata.name}: ${JSON.stringify(fault.spec)}`, ({ client }) =>
        client.create(Fault, fault),
      )
    },
  ],
  [2, () => errand('end all faults', endFaults)],
  [1, () => errand(`close namespace ${sideStage}`, ({ client }) => client.delete(Namespace, { name: sideStage }))],
]

const work = (command: string): PodTemplateSpec => ({
  spec: {
    restartPolicy: 'Never',
    containers: [
      { name: 'work', image: 'busybox:1.36', command: ['sh', '-c', command], resources: { requests: { cpu: '100m' } } },
    ],
  },
})

function jobOf(metadata: { readonly name: string }, spec: object, command: string, inNamespace: string = stage): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...metadata, namespace: inNamespace },
    spec: { template: work(command), ...spec },
  } as Job
}

function makeJob(random: Random): Errand {
  const name = `job-${random.int(4)}`
  const completions = 1 + random.int(5)
  const parallelism = 1 + random.int(4)
  const command = pick(random, ['true', 'sleep 3', 'exit 1', 'sleep 600'])
  const mode = pick(random, [
    {},
    { completionMode: 'Indexed' },
    { completionMode: 'Indexed', backoffLimitPerIndex: 1, maxFailedIndexes: 2 },
    { podReplacementPolicy: 'Failed' },
    { activeDeadlineSeconds: 15 },
    { ttlSecondsAfterFinished: 5 },
    {
      podFailurePolicy: {
        rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }],
      },
    },
  ])
  const spec = { completions, parallelism, backoffLimit: 2, ...mode }
  return errand(`run job/${name} (${command}; ${JSON.stringify(spec)})`, ({ client }) =>
    client.create(Job, jobOf({ name }, spec, command)),
  )
}

async function withPod(
  { client }: TestMachine,
  app: string,
  nth: number,
  act: (name: string, pod: Pod) => Promise<unknown>,
): Promise<void> {
  const { items } = await client.list(Pod, { namespace: stage, labelSelector: `app=${app}` })
  const pod = items[nth % Math.max(1, items.length)]
  if (pod !== undefined) await act(pod.metadata.name ?? '', pod)
}

const evict = ({ client }: TestMachine, name: string): Promise<unknown> =>
  client.createSubresource(Pod, at(name), 'eviction', {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: at(name),
  })

/** One round of `kubectl drain`: what a budget forbids stays. */
async function drain(test: TestMachine, node: string): Promise<void> {
  const { client } = test
  await client.patch(Node, { name: node }, { spec: { unschedulable: true } }, merge)
  const { items } = await client.list(Pod, { namespace: stage, fieldSelector: `spec.nodeName=${node}` })
  for (const { metadata } of items) {
    if (metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet')) continue
    await evict(test, metadata.name ?? '').catch(() => undefined)
  }
}

const total = makers.reduce((sum, [weight]) => sum + weight, 0)

/** The next errand that a seed brings. */
export function drawErrand(random: Random): Errand {
  let left = random.int(total)
  for (const [weight, make] of makers) {
    if (left < weight) return make(random)
    left -= weight
  }
  throw new Error('weights do not add up')
}

/** Takes back what is not part of the cast. */
export async function putRight(test: TestMachine): Promise<void> {
  const { client, machine } = test
  await endFaults(test)
  for (const name of nodeNames) {
    machine.residents.kubelet?.startNode(name)
    await ignoreMissing(client.patch(Node, { name }, { spec: { unschedulable: null } }, merge))
    const { spec } = await client.get(Node, { name })
    const taints = (spec?.taints ?? []).filter(({ key }) => key !== 'maintenance')
    await client.patch(Node, { name }, { spec: { taints: taints.length === 0 ? null : taints } }, merge)
  }
  await ignoreMissing(client.delete(CronJob, at('tick')))
  await ignoreMissing(client.delete(Namespace, { name: sideStage }))
  for (const { metadata } of (await client.list(Job, { namespace: stage })).items)
    await ignoreMissing(client.delete(Job, at(metadata.name ?? ''), { propagationPolicy: 'Background' }))
}

/** Pods that nobody sees to any more: what people took out of sets, or left as orphans, and what its node evicted. */
export const isForgotten = ({ metadata, status }: Pod): boolean =>
  status?.phase === 'Failed' ||
  status?.phase === 'Succeeded' ||
  !metadata.ownerReferences?.some(({ controller }) => controller === true)

/** Deletes them, and the Jobs that are left. */
export async function sweepOrphans({ client }: TestMachine): Promise<void> {
  for (const pod of (await client.list(Pod, { namespace: stage })).items)
    if (isForgotten(pod)) await ignoreMissing(client.delete(Pod, at(pod.metadata.name ?? '')))
  for (const { metadata } of (await client.list(Job, { namespace: stage })).items)
    await ignoreMissing(client.delete(Job, at(metadata.name ?? ''), { propagationPolicy: 'Background' }))
}

async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
