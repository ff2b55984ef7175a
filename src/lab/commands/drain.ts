// `drain NODE`: cordons it and evicts its pods, as kubectl does with --ignore-daemonsets and --delete-emptydir-data.
// A PodDisruptionBudget that refuses is asked again every 5 s. Waits until the evicted pods are gone.

import { ApiError, isNotFound } from '#api'
import { Pod } from '#kinds'
import type { LabCommand } from '../command.ts'
import { parseDuration, roughly } from '../duration.ts'
import type { Lab } from '../lab.ts'
import { setUnschedulable } from '../schedulable.ts'
import { byNumberedName } from '../table.ts'

const retryMs = 5000
const defaultTimeout = '10m'

export const drainCommand: LabCommand = {
  name: 'drain',
  usage: 'NODE [--timeout=DURATION]',
  async run(lab, { words: [node], options }) {
    const lines = [await setUnschedulable(lab, node, true)]
    const startedAt = lab.world.clock.now()
    const limitAt = startedAt + parseDuration(options.get('timeout') ?? defaultTimeout)
    const selector = { fieldSelector: `spec.nodeName=${lab.names.real('', node ?? '')}` }
    const shown = ({ metadata }: Pod): string => lab.names.show(metadata.name ?? '')
    let waiting: readonly Pod[] = (await lab.ask((client) => client.list(Pod, selector))).items
      .filter((pod) => !isDaemonPod(pod))
      .toSorted((a, b) => byNumberedName(shown(a), shown(b)))
    const refused = new Set<string>()
    const evicted: Pod[] = []
    while (waiting.length > 0) {
      const left: Pod[] = []
      for (const pod of waiting) {
        const refusal = await evict(lab, pod)
        if (refusal === undefined) {
          lines.push(`pod/${pod.metadata.name} evicted`)
          evicted.push(pod)
          continue
        }
        left.push(pod)
        const line = `pod/${pod.metadata.name} not evicted yet: ${refusal}`
        if (!refused.has(line)) lines.push(line)
        refused.add(line)
      }
      waiting = left
      if (waiting.length === 0) break
      if (lab.world.clock.now() + retryMs > limitAt)
        return [...lines, `drain of ${node} gave up with ${waiting.length} pods left`]
      await lab.world.advance(retryMs)
    }
    while ((await someAreThere(lab, evicted)) && lab.world.clock.now() < limitAt) await lab.world.advance(1000)
    return [...lines, `node/${node} drained: ${roughly(lab.world.clock.now() - startedAt)}`]
  },
}

/** Pods that a drain leaves where they are. */
const isDaemonPod = ({ metadata }: Pod): boolean =>
  metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) === true

/** Why the server refused, for now; undefined when the pod is leaving or gone. */
async function evict(lab: Lab, { metadata }: Pod): Promise<string | undefined> {
  const { namespace = '', name = '' } = metadata
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } }
  try {
    await lab.ask((client) => client.createSubresource(Pod, { namespace, name }, 'eviction', body))
    return undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (error instanceof ApiError && error.reason === 'TooManyRequests') return error.message
    throw error
  }
}

async function someAreThere(lab: Lab, pods: readonly Pod[]): Promise<boolean> {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid))
  const { items } = await lab.ask((client) => client.list(Pod))
  return items.some(({ metadata }) => uids.has(metadata.uid))
}
