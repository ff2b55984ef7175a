// Loops that do what they may, though it looks as if they did not.

import { ControllerRevision, Pod, StatefulSet } from '#kinds'
import { pod } from '../../../support/manifests.ts'
import { revisionOf, statefulSet } from './objects.ts'
import { at, owned, type Plant } from './stage.ts'

export const innocents: readonly Omit<Plant, 'told'>[] = [
  {
    name: 'an update to a revision that the cache does not show yet',
    plant: async ({ test, guilty, meanwhile }) => {
      const owner = await test.client.create(StatefulSet, {
        ...statefulSet(),
        spec: { ...statefulSet().spec, replicas: 1 },
      })
      await test.client.create(ControllerRevision, revisionOf(owner, 'before', 'nginx:1.26'))
      const labels = { app: 'db', 'controller-revision-hash': 'before' }
      await test.client.create(Pod, owned(pod('db-0', {}, labels), owner) as Pod)
      await guilty('statefulset', 'default/db', async ({ client }) => {
        // Made by itself before; it finds out when it makes it again.
        await meanwhile(() => test.client.create(ControllerRevision, { ...revisionOf(owner, 'now'), revision: 2 }))
        await client.delete(Pod, at('db-0'))
      })
    },
  },
]
