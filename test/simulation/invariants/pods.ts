// Pods: bound once and for all, over once and for all, no address twice, and never taken out of the books while a node still
// runs them, except by whom Kubernetes lets do that (the node itself, the collector of what a lost node left, people).

import type { Pod } from '#kinds'
import type { Write } from '../../support/observer.ts'
import { as, type Invariant, idOf } from './invariant.ts'

const isOver = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

const mayForce = new Set(['kubelet', 'kubelet-node', 'podgc'])

const runs = ({ status }: Pod): boolean =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(
    ({ state }) => state?.running !== undefined,
  )

/** One that is ending has its address until it is over, or gone: whoever reads of it would be led astray. */
const holdsAddress = (pod: Pod): boolean => !isOver(pod) && pod.spec.hostNetwork !== true

export const pods: Invariant = {
  name: 'pods',
  watch: ({ fail }) => {
    const holders = new Map<string, string>()
    const addresses = (id: string, before: Pod | undefined, after: Pod | undefined): void => {
      const addressOf = (pod: Pod | undefined): string | undefined =>
        pod === undefined || !holdsAddress(pod) ? undefined : pod.status?.podIP
      const [old, now] = [addressOf(before), addressOf(after)]
      if (old === now) return
      if (old !== undefined && holders.get(old) === id) holders.delete(old)
      if (now === undefined) return
      const holder = holders.get(now)
      if (holder !== undefined && holder !== id) fail(`${id} has the address ${now} of ${holder}`, id, holder)
      holders.set(now, id)
    }
    const gone = (id: string, pod: Pod, { by }: Write): void => {
      if (pod.spec.nodeName === undefined || isOver(pod) || !runs(pod)) return
      if (by !== undefined && !mayForce.has(by.loop)) fail(`${by.loop} removed ${id} while its containers run`, id)
    }
    return {
      wrote: {
        pods(write) {
          const id = idOf(write)
          const [before, after] = [as<Pod>(write.before), as<Pod>(write.after)]
          addresses(id, before, after)
          if (before === undefined) return
          if (after === undefined) {
            gone(id, before, write)
            return
          }
          if (before.spec.nodeName !== undefined && before.spec.nodeName !== after.spec.nodeName)
            fail(`${id} moved from ${before.spec.nodeName} to ${after.spec.nodeName}`, id)
          if (isOver(before) && before.status?.phase !== after.status?.phase)
            fail(`${id} was ${before.status?.phase} and became ${after.status?.phase}`, id)
        },
      },
    }
  },
}
