// Job controllers that count what they must not, or not as they must.

import { Job, Pod } from '#kinds'
import type { Kit } from '#reconcile'
import { job, pod } from '../../../support/manifests.ts'
import { at, owned, type Plant, running, type Stage } from './stage.ts'

const tracking = 'batch.kubernetes.io/job-tracking'
const merge = { type: 'application/merge-patch+json' } as const

interface Scene {
  readonly spec?: Partial<Job['spec']>
  /** Status of each pod `j-1`, `j-2` …; deleted when `isEnding`. */
  readonly pods: readonly { readonly status: object; readonly index?: number; readonly isEnding?: boolean }[]
}

/** A Job `j` and its pods. Answers the uids of the pods. */
async function set(stage: Stage, { spec, pods }: Scene): Promise<readonly string[]> {
  const { client } = stage.test
  const plain = job('j')
  const owner = await client.create(Job, { ...plain, spec: { ...plain.spec, ...spec } })
  const labels = owner.spec.selector?.matchLabels ?? {}
  const uids: string[] = []
  for (const [i, { status, index, isEnding }] of pods.entries()) {
    const name = `j-${i + 1}`
    const made = owned(pod(name, { nodeName: 'node-0' }, labels), owner) as Pod
    const annotations = index === undefined ? {} : { 'batch.kubernetes.io/job-completion-index': String(index) }
    const { metadata } = await client.create(Pod, {
      ...made,
      metadata: { ...made.metadata, annotations, finalizers: [tracking] },
    })
    uids.push(metadata.uid ?? '')
    stage.write('pods', `default/${name}`, () => ({ status }))
    if (isEnding === true) await client.delete(Pod, at(name))
  }
  return uids
}

async function say(kit: Kit, status: object): Promise<void> {
  const live = await kit.client.get(Job, at('j'))
  await kit.client.updateStatus(Job, { ...live, status: { ...live.status, ...status } })
}

const letGo = ({ client }: Kit, name: string): Promise<unknown> =>
  client.patch(Pod, at(name), { metadata: { finalizers: null } }, merge)

/** One reconcile in which the controller writes one status. */
const saying =
  (scene: Scene, status: (uids: readonly string[]) => object): Plant['plant'] =>
  async (stage) => {
    const uids = await set(stage, scene)
    await stage.guilty('job', 'default/j', (kit) => say(kit, status(uids)))
  }

/** One in which it lets a pod go. */
const lettingGo =
  (scene: Scene, name = 'j-1'): Plant['plant'] =>
  async (stage) => {
    await set(stage, scene)
    await stage.guilty('job', 'default/j', (kit) => letGo(kit, name))
  }

const succeeded = { phase: 'Succeeded' }
const failed = { phase: 'Failed' }
const indexed: Scene['spec'] = { completionMode: 'Indexed' }
const perIndex: Scene['spec'] = { ...indexed, backoffLimitPerIndex: 1 }

export const guiltyJobs: readonly Plant[] = [
  {
    name: 'a pod let go before its Job counted it',
    plant: lettingGo({ pods: [{ status: succeeded }] }),
    told: /jobs: .*j-1 is let go before it is counted/,
  },
  {
    name: 'a pod let go before its index is completed',
    plant: lettingGo({ spec: indexed, pods: [{ status: succeeded, index: 0 }] }),
    told: /jobs: .*j-1 is let go before it is counted/,
  },
  {
    name: 'a running pod let go that is wanted',
    plant: lettingGo({ pods: [{ status: running }] }),
    told: /jobs: .*j-1 is let go before it is counted/,
  },
  {
    name: 'a pod let go whose index is to be tried again',
    plant: lettingGo({ spec: perIndex, pods: [{ status: failed, index: 0 }] }),
    told: /jobs: .*j-1 is let go before another took over its index/,
  },
  {
    name: 'a pod let go as an orphan whose Job is at work',
    plant: async (stage) => {
      await set(stage, { pods: [{ status: running }] })
      await stage.guilty('job-orphan-pods', 'default/j-1', (kit) => letGo(kit, 'j-1'))
    },
    told: /jobs: .*j-1 is let go though its Job is at work/,
  },
  {
    name: 'a Job that counts a pod as failed that is ending, where it is to wait for its end',
    plant: saying(
      { spec: { podReplacementPolicy: 'Failed' }, pods: [{ status: running, isEnding: true }] },
      (failed) => ({ uncountedTerminatedPods: { failed }, terminating: 1 }),
    ),
    told: /jobs: .*j is about to count j-1 as failed, which is Running/,
  },
  {
    name: 'a Job that counts a running pod as succeeded',
    plant: saying({ pods: [{ status: running }] }, (succeeded) => ({
      uncountedTerminatedPods: { succeeded },
      active: 1,
    })),
    told: /jobs: .*j is about to count j-1, which is Running/,
  },
  {
    name: 'a Job that counts a pod first as succeeded and then as failed',
    plant: async (stage) => {
      const uids = await set(stage, { pods: [{ status: succeeded }] })
      await stage.guilty('job', 'default/j', async (kit) => {
        await say(kit, { uncountedTerminatedPods: { succeeded: uids } })
        await letGo(kit, 'j-1')
        await say(kit, { uncountedTerminatedPods: {}, succeeded: 1 })
        await say(kit, { uncountedTerminatedPods: { failed: uids }, succeeded: 1 })
      })
    },
    told: /jobs: .*j is about to count j-1 a second time/,
  },
  {
    name: 'one success counted twice',
    plant: async (stage) => {
      const uids = await set(stage, { pods: [{ status: succeeded }] })
      await stage.guilty('job', 'default/j', async (kit) => {
        await say(kit, { uncountedTerminatedPods: { succeeded: uids } })
        await letGo(kit, 'j-1')
        await say(kit, { uncountedTerminatedPods: {}, succeeded: 2 })
      })
    },
    told: /jobs: .*j counts 2 succeeded, 1 did/,
  },
  {
    name: 'one success written down twice',
    plant: async (stage) => {
      const uids = await set(stage, { pods: [{ status: succeeded }] })
      await stage.guilty('job', 'default/j', async (kit) => {
        await say(kit, { uncountedTerminatedPods: { succeeded: uids } })
        await letGo(kit, 'j-1')
        await say(kit, { uncountedTerminatedPods: {}, succeeded: 1 })
        await say(kit, { uncountedTerminatedPods: { succeeded: uids }, succeeded: 1 })
      })
    },
    told: /jobs: .*j is about to count j-1 a second time/,
  },
  {
    name: 'a Job that counts a pod that is not let go',
    plant: async (stage) => {
      const uids = await set(stage, { pods: [{ status: succeeded }] })
      await stage.guilty('job', 'default/j', async (kit) => {
        await say(kit, { uncountedTerminatedPods: { succeeded: uids } })
        await say(kit, { uncountedTerminatedPods: {}, succeeded: 1 })
      })
    },
    told: /jobs: .*j counts j-1, which is not let go yet/,
  },
  {
    name: 'a Job that completes an index of which no pod succeeded',
    plant: saying({ spec: indexed, pods: [{ status: running, index: 0 }] }, () => ({
      completedIndexes: '0',
      succeeded: 1,
      active: 1,
    })),
    told: /jobs: .*j says that index 0 is completed, no pod of it did/,
  },
  {
    name: 'a Job that gives an index up too early',
    plant: saying({ spec: perIndex, pods: [{ status: failed, index: 0 }] }, () => ({ failedIndexes: '0' })),
    told: /jobs: .*j gives index 0 up, which may be tried again/,
  },
  {
    name: 'a Job that says that more are active than there are',
    plant: saying({ pods: [{ status: running }] }, () => ({ active: 2 })),
    told: /jobs: .*j says 2 are active, there are 1 to 1/,
  },
  {
    name: 'a Job that does not see that a pod is ending',
    plant: saying({ pods: [{ status: running, isEnding: true }] }, () => ({ terminating: 0 })),
    told: /jobs: .*j says 0 are ending, 1 were and 0 were deleted/,
  },
  {
    name: 'a Job that says that more are ready than are',
    plant: saying({ pods: [{ status: { ...running, conditions: [] } }] }, () => ({ active: 1, ready: 1 })),
    told: /jobs: .*j says 1 are ready, 0 were, of 1 active/,
  },
  {
    name: 'a Job that is over before all is counted',
    plant: async (stage) => {
      const uids = await set(stage, { pods: [{ status: succeeded }] })
      stage.write('jobs.batch', 'default/j', () => ({
        status: {
          uncountedTerminatedPods: { succeeded: uids },
          conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' })),
        },
      }))
    },
    told: /jobs: .*j is over, and 1 wait to be counted, 0 are active, 0 are ending/,
  },
]
