// Keeps a watch on a kind for as long as somebody wants it: opened again when it ends or falls behind. The first events
// are the objects that there are. For pages and counters, which bear to miss something while a watch is opened again.

import type { WatchEvent } from '#api'
import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { World } from '#world'

const retryMs = 1000

export interface Following<T extends KubeObject> {
  readonly client: Client
  readonly world: World
  readonly kind: Kind<T>
  /** Only objects of this namespace. */
  readonly namespace?: string
  readonly signal: AbortSignal
  /** `isInitial` for what was there when the watch was opened. */
  readonly onEvent: (event: WatchEvent<T>, isInitial: boolean) => void
  /** From now on nothing is missed; what happened while there was no watch may have been. */
  readonly onOpen?: () => void
}

export async function followKind<T extends KubeObject>(following: Following<T>): Promise<void> {
  const { client, world, kind, namespace, signal, onEvent, onOpen } = following
  const scope = namespace === undefined ? { signal } : { namespace, signal }
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await client.list(kind, scope)
      for (const object of items) onEvent({ type: 'ADDED', object }, true)
      const watch = await client.watch(kind, { ...scope, resourceVersion })
      onOpen?.()
      for await (const events of watch)
        for (const event of events) if (event.type !== 'BOOKMARK' && event.type !== 'ERROR') onEvent(event, false)
    } catch {
      // The kind may not be served yet, or the watch has fallen behind: it begins anew.
    }
    if (!signal.aborted) await world.clock.sleep(retryMs, signal).catch(() => undefined)
  }
}
