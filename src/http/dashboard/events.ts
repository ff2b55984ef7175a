// Events of an object as Argo CD answers them: a list of the core group's Events.

import { Event } from '#kinds'
import type { KubeObject } from '#objects'
import type { Place } from './place.ts'

export interface EventSubject {
  readonly name: string
  readonly uid: string | undefined
  readonly namespace: string | undefined
}

export const eventsOf = (place: Pick<Place, 'client'>, { metadata }: KubeObject): Promise<object> =>
  readEvents(place, { name: metadata.name ?? '', uid: metadata.uid, namespace: metadata.namespace })

export async function readEvents(
  { client }: Pick<Place, 'client'>,
  { name, uid, namespace }: EventSubject,
): Promise<object> {
  const selectors = [`involvedObject.name=${name}`, ...(uid === undefined ? [] : [`involvedObject.uid=${uid}`])]
  const { items, resourceVersion } = await client.list(Event, {
    ...(namespace === undefined ? {} : { namespace }),
    fieldSelector: selectors.join(','),
  })
  return { metadata: { resourceVersion }, items }
}
