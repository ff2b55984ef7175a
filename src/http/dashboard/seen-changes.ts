// Changes of the objects of a kind, for streams: those that are wanted, and that whoever watches may see at that moment.

import type { FastifyRequest } from 'fastify'
import type { ListOptions } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { Caller } from './access/caller.ts'
import { type Context, queryOf } from './context.ts'

interface Seeing<T extends KubeObject> {
  readonly kind: Kind<T>
  readonly options: ListOptions
  readonly isWanted: (object: T) => boolean
  readonly maySee: (caller: Caller, object: T) => Promise<boolean>
  readonly signal: AbortSignal
}

export async function* seenChanges<T extends KubeObject>(
  { client, access }: Context,
  request: FastifyRequest,
  { kind, options, isWanted, maySee, signal }: Seeing<T>,
): AsyncGenerator<{ readonly type: string; readonly object: T }> {
  const resourceVersion = queryOf(request, 'resourceVersion')
  const since = resourceVersion === undefined ? {} : { resourceVersion }
  for await (const events of await client.watch(kind, { ...options, ...since, signal })) {
    // Asked each time: policies change, and tokens end, while somebody watches.
    const caller = await access.callerOf(request)
    for (const { type, object } of events) {
      if (type === 'BOOKMARK') continue
      if (type === 'ERROR') return
      if (isWanted(object) && (await maySee(caller, object))) yield { type, object }
    }
  }
}
