// The Events that tell of an action that was run: on the resource, and on the application whose page it was run from, in
// Argo CD's reason and words. One that cannot be written is only logged: the action has been done.

import { type Application, CoreV1Event } from '#kinds'
import { type AnyObject, formatTime, groupOf, type KubeObject } from '#objects'
import { type Context, fieldManager } from './context.ts'
import type { Place } from './place.ts'

export interface RanAction {
  readonly application: Application
  readonly object: AnyObject
  /** Where the object is. */
  readonly place: Place
  readonly action: string
  readonly user: string
}

export async function tellAction(
  context: Context,
  { application, object, place, action, user }: RanAction,
): Promise<void> {
  const { kind, apiVersion, metadata } = object
  const isItself = metadata.uid === application.metadata.uid
  const where = isItself ? '' : ` on resource ${groupOf(apiVersion)}/${kind}/${metadata.name}`
  const { client, world } = context
  await tell({ client, world }, application, `${user} ran action ${action}${where}`)
  if (!isItself) await tell({ client: place.client, world }, object, `${user} ran action ${action}`)
}

async function tell(
  { client, world }: Pick<Context, 'client' | 'world'>,
  object: KubeObject,
  message: string,
): Promise<void> {
  const { name = '', namespace, uid, resourceVersion } = object.metadata
  const now = formatTime(world.clock.now())
  try {
    await client.create(CoreV1Event, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: `${name}-`, namespace: namespace ?? 'default' },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      type: 'Normal',
      reason: 'ResourceActionRan',
      message,
      source: { component: fieldManager },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    })
  } catch (error) {
    world.log.warn('an Event could not be written', { error: String(error), message })
  }
}
