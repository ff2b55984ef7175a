// What the scheduler writes into the status of a pod: a condition, the node that it is promised. As patches of just that,
// like kube-scheduler's: whatever else of the pod changes meanwhile is not in the way.

import { Pod, type PodCondition } from '#kinds'
import { setCondition } from '#objects'
import type { Kit } from '#reconcile'

/** What becomes of the node that the pod was promised: kept, taken back or another one. */
export type Promised = { readonly type: 'keep' } | { readonly type: 'set'; readonly nodeName: string | undefined }

export interface StatusChange {
  readonly condition?: Pick<PodCondition, 'type' | 'reason' | 'message'> & { readonly status: 'True' | 'False' }
  readonly promised?: Promised
}

/** Undefined when the pod says so already. */
export function statusPatch(pod: Pod, change: StatusChange, now: number): object | undefined {
  const patch = { ...conditionPatch(pod, change, now), ...promisePatch(pod, change) }
  return Object.keys(patch).length === 0 ? undefined : patch
}

function conditionPatch({ metadata, status }: Pod, { condition }: StatusChange, now: number): object {
  if (condition === undefined) return {}
  const before = status?.conditions ?? []
  const { generation } = metadata
  const after = setCondition<PodCondition>(
    before,
    {
      ...condition,
      lastProbeTime: null as unknown as string,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    },
    now,
  )
  if (after === before) return {}
  return {
    conditions: after.filter(({ type }) => type === condition.type),
    '$setElementOrder/conditions': after.map(({ type }) => ({ type })),
  }
}

function promisePatch({ status }: Pod, { promised }: StatusChange): object {
  if (promised === undefined || promised.type === 'keep') return {}
  const [before, after] = [status?.nominatedNodeName ?? '', promised.nodeName ?? '']
  return before === after ? {} : { nominatedNodeName: after === '' ? null : after }
}

export async function writePodStatus(kit: Kit, pod: Pod, change: StatusChange): Promise<void> {
  const status = statusPatch(pod, change, kit.world.clock.now())
  const { namespace = '', name = '' } = pod.metadata
  if (status === undefined) return
  await kit.client.patch(Pod, { namespace, name }, { status }, patching)
}

const patching = { type: 'application/strategic-merge-patch+json', subresource: 'status' } as const
