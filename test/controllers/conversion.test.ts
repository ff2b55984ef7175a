// What a conversion webhook that fails holds up among the loops that work over all kinds, and what it does not.

import { expect, it } from 'vitest'
import { CustomResourceDefinition, Deployment, Namespace, Pod, Service, WorkloadProfile } from '#kinds'
import { customKind, definitionOf } from '../support/custom-kinds.ts'
import { deployment, namespace, service } from '../support/manifests.ts'
import { startCluster } from './cluster.ts'

const Peer = customKind('Peer')

/** v1 is what is kept, v2 what clients prefer. */
const definition = definitionOf(Peer, {
  conversion: {
    strategy: 'Webhook',
    webhook: {
      conversionReviewVersions: ['v1'],
      clientConfig: { service: { namespace: 'default', name: 'hook' } },
    },
  },
  versions: [{}, {}],
})

const profile = (spec: object): WorkloadProfile => ({
  apiVersion: 'lab.homeostat.dev/v1alpha1',
  kind: 'WorkloadProfile',
  metadata: { name: 'hook' },
  spec: { match: { podSelector: { matchLabels: { app: 'hook' } } }, ...spec } as WorkloadProfile['spec'],
})

it('a namespace with objects that cannot be converted stays until they can be; other kinds are cleaned up', async () => {
  const cluster = await startCluster()
  const { client } = cluster
  await client.create(WorkloadProfile, profile({ webhook: { conversionError: 'broken' } }))
  await client.create(Deployment, deployment('hook', { replicas: 1 }))
  await client.create(Service, {
    ...service('hook'),
    spec: { selector: { app: 'hook' }, ports: [{ port: 443, targetPort: 8080 }] },
  } as Service)
  await cluster.rolledOut('hook')
  await client.create(CustomResourceDefinition, definition)
  await client.create(Namespace, namespace('team'))
  await cluster.until(async () => (await client.list(Peer, { namespace: 'team' }).catch(() => undefined)) !== undefined)
  await client.create(Peer, { apiVersion: 'example.com/v1', kind: 'Peer', metadata: { name: 'a', namespace: 'team' } })

  await client.delete(Namespace, { name: 'team' })
  const conditions = async () => (await cluster.find(Namespace, { name: 'team' }))?.status?.conditions ?? []
  await cluster.until(async () =>
    (await conditions()).some(({ type, status }) => type === 'NamespaceDeletionContentFailure' && status === 'True'),
  )
  const failed = (await conditions()).find(({ type }) => type === 'NamespaceDeletionContentFailure')
  expect(failed?.message).toContain('conversion webhook for example.com/v1, Kind=Peer failed: broken')

  // The garbage collector goes on with what it can see.
  await client.create(Deployment, deployment('other', { replicas: 1 }))
  await cluster.rolledOut('other')
  await client.delete(Deployment, { namespace: 'default', name: 'other' }, { propagationPolicy: 'Background' })
  await cluster.until(async () => (await client.list(Pod, { labelSelector: 'app=other' })).items.length === 0)

  await client.delete(WorkloadProfile, { name: 'hook' })
  await cluster.until(async () => (await cluster.find(Namespace, { name: 'team' })) === undefined, {
    limitMs: 2_000_000,
  })
  await cluster.stop()
})
