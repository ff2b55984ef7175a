// What the whole cluster waits for: objects with a gap, and loops that cannot work. Under /api/v1/homeostat/waiting.

import { explainWaiting, loopStateOf, loopTroubles, waitingKinds } from '#insight'
import { type Context, queryOf } from './context.ts'
import { mustSeeCluster } from './homeostat.ts'

export function waitingRoutes(context: Context): void {
  const { server, client, world, placements } = context
  const cache = context.cacheFor('dashboard-waiting', waitingKinds)
  server.get('/api/v1/homeostat/waiting', async (request) => {
    await mustSeeCluster(context, request)
    const namespace = queryOf(request, 'namespace')
    const figures = context.figures()
    const waiting = await explainWaiting({
      client,
      cache,
      now: world.clock.now(),
      loops: figures.loops.map(loopStateOf),
      ...(namespace === undefined ? {} : { namespace }),
      ...(placements === undefined ? {} : { placements }),
    })
    return { ...waiting, loops: loopTroubles(figures, waiting.items) }
  })
}
