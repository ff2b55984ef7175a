// Asks the API server itself which pods use a claim, as the real controller does before it lets one go: the cache may not
// show a pod yet that has just been given its node. Claims of one namespace that go at the same time share a list, and the
// next list is only begun when all that the last one let go are written, so that ten thousand need a dozen lists.
// Reads: Pods, live.

import { Pod } from '#kinds'
import type { Kit } from '#reconcile'
import { claimsOf } from '../pods-by-claim.ts'

/** Pods by the key of each claim that they name. */
export type PodsByClaim = ReadonlyMap<string, readonly Pod[]>

type Use<T> = (pods: PodsByClaim) => Promise<T>

interface Batch {
  readonly pods: Promise<PodsByClaim>
  readonly uses: Promise<unknown>[]
}

/** The lists of one namespace: one is worked with, one gathers those who will share it. */
class SharedList {
  #gathering: Batch | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** Hands `use` a list that is begun after this call. */
  use<T>(list: () => Promise<PodsByClaim>, use: Use<T>, onIdle: () => void): Promise<T> {
    this.#gathering ??= this.#gather(list, onIdle)
    const { pods, uses } = this.#gathering
    const used = pods.then(use)
    uses.push(used)
    return used
  }

  #gather(list: () => Promise<PodsByClaim>, onIdle: () => void): Batch {
    const uses: Promise<unknown>[] = []
    const pods = this.#last.then(() => {
      this.#gathering = undefined
      return list()
    })
    this.#last = Promise.allSettled([pods])
      .then(() => Promise.allSettled(uses))
      .then(() => {
        if (this.#gathering === undefined) onIdle()
      })
    return { pods, uses }
  }
}

/** By the life of a loop: one that ended in the middle of a list holds up nobody after it. */
const listsByLife = new WeakMap<AbortSignal, Map<string, SharedList>>()

/** Hands `use` the pods of a namespace as the API server has them now or later. */
export function withLivePods<T>(kit: Kit, namespace: string, use: Use<T>): Promise<T> {
  const lists = listsByLife.get(kit.signal) ?? new Map<string, SharedList>()
  listsByLife.set(kit.signal, lists)
  const shared = lists.get(namespace) ?? new SharedList()
  lists.set(namespace, shared)
  return shared.use(
    () => listPods(kit, namespace),
    use,
    () => lists.delete(namespace),
  )
}

async function listPods(kit: Kit, namespace: string): Promise<PodsByClaim> {
  const { items } = await kit.client.list(Pod, { namespace })
  const byClaim = new Map<string, Pod[]>()
  for (const pod of items)
    for (const key of claimsOf(pod)) {
      const users = byClaim.get(key)
      if (users === undefined) byClaim.set(key, [pod])
      else users.push(pod)
    }
  return byClaim
}
