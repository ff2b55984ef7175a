// Deployment controllers that resize ReplicaSets as they must not.

import { Deployment, Pod, ReplicaSet } from '#kinds'
import { deployment, pod } from '../../../support/manifests.ts'
import { setOf } from './objects.ts'
import { at, owned, type Plant, type Stage } from './stage.ts'

/** `web-1` is old, `web-2` of the Deployment's template. */
interface Scene {
  readonly spec?: Partial<Deployment['spec']>
  readonly sets: Readonly<
    Record<string, { readonly replicas: number; readonly status?: object; readonly for?: number }>
  >
}

const desired = 'deployment.kubernetes.io/desired-replicas'
const most = 'deployment.kubernetes.io/max-replicas'
const merge = { type: 'application/merge-patch+json' } as const

async function set(stage: Stage, { spec, sets }: Scene): Promise<void> {
  const web = deployment('web', { replicas: 4 })
  const owner = await stage.test.client.create(Deployment, { ...web, spec: { ...web.spec, ...spec } })
  for (const [name, { replicas, status = {}, for: size }] of Object.entries(sets)) {
    const template = deployment('web', { image: name === 'web-1' ? 'nginx:1.26' : 'nginx:1.27' }).spec.template
    const made = setOf({ ...owner, spec: { ...owner.spec, template } }, name, replicas)
    const annotations = size === undefined ? {} : { [desired]: String(size), [most]: String(size + 1) }
    await stage.test.client.create(ReplicaSet, { ...made, metadata: { ...made.metadata, annotations } })
    stage.write('replicasets.apps', `default/${name}`, () => ({ status }))
  }
}

/** Gives one of them another size; `says` for which size of the Deployment. */
function resizing(scene: Scene, name: string, replicas: number, says?: number): Plant['plant'] {
  return async (stage) => {
    await set(stage, scene)
    const annotations = says === undefined ? {} : { [desired]: String(says) }
    await stage.guilty('deployment', 'default/web', ({ client }) =>
      client.patch(ReplicaSet, at(name), { metadata: { annotations }, spec: { replicas } }, merge),
    )
  }
}

const available = (replicas: number): object => ({ replicas, availableReplicas: replicas })
const all = (replicas: number) => ({ replicas, status: available(replicas) })
const recreate: Scene['spec'] = { strategy: { type: 'Recreate' } }

export const guiltyRollouts: readonly Plant[] = [
  {
    name: 'a rollout beyond its surge',
    plant: resizing({ sets: { 'web-1': { replicas: 4 }, 'web-2': { replicas: 0 } } }, 'web-2', 2),
    told: /rollouts: .*web-2 is set to 2: 6 pods where 5 are allowed/,
  },
  {
    name: 'a rollout below what must be available',
    plant: resizing({ sets: { 'web-1': all(4), 'web-2': { replicas: 0 } } }, 'web-1', 2),
    told: /rollouts: .*web-1 is set to 2: 2 available where 3 must be/,
  },
  {
    name: 'a rollout that lets an old ReplicaSet grow',
    plant: resizing({ sets: { 'web-1': all(2), 'web-2': all(2) } }, 'web-1', 3),
    told: /rollouts: .*web-1 is set to 3: an old one does not grow/,
  },
  {
    name: 'a rollout that lets the newest grow beyond what is wanted',
    plant: resizing({ sets: { 'web-2': all(4) } }, 'web-2', 5),
    told: /rollouts: .*web-2 is set to 5: it grows to at most 4/,
  },
  {
    name: 'a rollout that counts on new pods that are not available',
    plant: resizing({ sets: { 'web-1': { replicas: 4 }, 'web-2': { replicas: 1 } } }, 'web-1', 2),
    told: /rollouts: .*web-1 is set to 2: 3 pods, of which 1 new ones are not available, where 3 must be/,
  },
  {
    name: 'a rollout by a status that is behind',
    plant: resizing({ sets: { 'web-1': { replicas: 3, status: available(5) }, 'web-2': all(2) } }, 'web-1', 1),
    told: /rollouts: .*web-1 is set to 1: the status of web-1 is behind/,
  },
  {
    name: 'a Recreate that does not wait for the old pods',
    plant: async (stage) => {
      await set(stage, { spec: recreate, sets: { 'web-1': { replicas: 0 }, 'web-2': { replicas: 0 } } })
      const old = await stage.test.client.get(ReplicaSet, at('web-1'))
      await stage.test.client.create(Pod, owned(pod('web-1-a'), old) as Pod)
      await stage.guilty('deployment', 'default/web', ({ client }) =>
        client.patch(ReplicaSet, at('web-2'), { spec: { replicas: 4 } }, merge),
      )
    },
    told: /rollouts: .*web-2 is set to 4: web-1 is not gone yet/,
  },
  {
    name: 'a change of size that is not shared in proportion',
    plant: resizing(
      { spec: { replicas: 8 }, sets: { 'web-1': { ...all(4), for: 4 }, 'web-2': { ...all(1), for: 4 } } },
      'web-2',
      5,
      8,
    ),
    told: /rollouts: .*web-2 is set to 5: its share is 2/,
  },
  {
    name: 'a change of size that takes too much from the largest',
    plant: resizing(
      { spec: { replicas: 3 }, sets: { 'web-1': { ...all(4), for: 4 }, 'web-2': { ...all(1), for: 4 } } },
      'web-1',
      1,
      3,
    ),
    told: /rollouts: .*web-1 is set to 1: its share is 3/,
  },
  {
    name: 'a change of size that one ReplicaSet does not take as a whole',
    plant: resizing({ spec: { replicas: 6 }, sets: { 'web-2': { ...all(4), for: 4 } } }, 'web-2', 5, 6),
    told: /rollouts: .*web-2 is set to 5: 6 are wanted/,
  },
  {
    name: 'a change of size that is not taken down',
    plant: resizing({ spec: { replicas: 6 }, sets: { 'web-2': { ...all(4), for: 4 } } }, 'web-2', 6),
    told: /rollouts: .*web-2 is set to 6, and does not say for which size of its Deployment/,
  },
  {
    name: 'a rollout while it is paused',
    plant: resizing({ spec: { paused: true }, sets: { 'web-1': all(4), 'web-2': { replicas: 0 } } }, 'web-2', 1),
    told: /rollouts: .*web-2 is set to 1: it stays at 0/,
  },
  {
    name: 'a ReplicaSet that is forgotten with its pods',
    plant: async (stage) => {
      await set(stage, { sets: { 'web-1': all(2), 'web-2': all(4) } })
      await stage.guilty('deployment', 'default/web', ({ client }) => client.delete(ReplicaSet, at('web-1')))
    },
    told: /rollouts: .*web-1 is forgotten, and is of size 2/,
  },
]
