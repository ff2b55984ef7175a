// What the whole cluster waits for: objects with a gap, and loops that cannot work. Under /api/v1/homeostat/waiting.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { explainWaiting, loopStateOf, loopTroubles, waitingKinds } from '#insight'
import { Fault } from '#kinds'
import { type Context, queryOf } from './context.ts'
import { mustSeeCluster } from './homeostat.ts'
import type { EverythingWaiting } from './shown.ts'

export function waitingRoutes(context: Context): void {
  const { server, client, world, placements } = context
  const cache = context.cacheFor('dashboard-waiting', waitingKinds)
  /** By namespace: pages that ask at the same time share one answer. */
  const asked = new Map<string | undefined, Promise<EverythingWaiting>>()
  server.get('/api/v1/homeostat/waiting', async (request) => {
    await mustSeeCluster(context, request)
    const namespace = queryOf(request, 'namespace')
    const known = asked.get(namespace)
    if (known !== undefined) return known
    const answer = everythingWaiting(namespace).finally(() => asked.delete(namespace))
    asked.set(namespace, answer)
    return answer
  })
  async function everythingWaiting(namespace: string | undefined): Promise<EverythingWaiting> {
    const figures = context.figures()
    const { said, ...waiting } = await explainWaiting({
      client,
      cache,
      now: world.clock.now(),
      pause: nextTurn,
      loops: figures.loops.map(loopStateOf),
      ...(namespace === undefined ? {} : { namespace }),
      ...(placements === undefined ? {} : { placements }),
    })
    const faults = (await client.list(Fault)).items
    return { ...waiting, loops: loopTroubles(figures, said, faults) }
  }
}
