// What the whole cluster waits for: objects with a gap, and loops that fail. Under /api/v1/homeostat/waiting.

import { explainWaiting, waitingKinds } from '#insight'
import { formatTime } from '#objects'
import { type Context, queryOf } from './context.ts'
import { mustSeeCluster } from './homeostat.ts'

export function waitingRoutes(context: Context): void {
  const { server, client, world, placements } = context
  const cache = context.cacheFor('dashboard-waiting', waitingKinds)
  server.get('/api/v1/homeostat/waiting', async (request) => {
    await mustSeeCluster(context, request)
    const namespace = queryOf(request, 'namespace')
    const waiting = await explainWaiting({
      client,
      cache,
      now: world.clock.now(),
      ...(namespace === undefined ? {} : { namespace }),
      ...(placements === undefined ? {} : { placements }),
    })
    return { ...waiting, loops: failingLoops(context) }
  })
}

const failingLoops = ({ figures }: Context): readonly object[] =>
  figures().loops.flatMap(({ name, backoff }) =>
    backoff.slice(0, 1).map(({ key, error, nextTryAt }) => ({
      loop: name,
      keys: backoff.length,
      key,
      error,
      ...(nextTryAt === undefined ? {} : { nextTryAt: formatTime(nextTryAt) }),
    })),
  )
