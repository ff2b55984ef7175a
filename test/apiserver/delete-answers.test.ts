// What a completed delete answers with: the object, a Status, or a refusal where it belongs to the system.

import { describe, expect, it } from 'vitest'
import { startServer } from './server.ts'

const ref = (group: string, resource: string) => ({ group, version: 'v1', resource })

describe('a completed delete', () => {
  const metadata = { name: 'x' }
  const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] }
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
  it.each([
    ['', 'resourcequotas', 'ResourceQuota', { spec: {} }, true],
    ['', 'podtemplates', 'PodTemplate', { template: { spec: { containers: [{ name: 'a', image: 'a' }] } } }, true],
    ['', 'configmaps', 'ConfigMap', {}, false],
    ['storage.k8s.io', 'storageclasses', 'StorageClass', { provisioner: 'a.b/c' }, true],
    ['storage.k8s.io', 'csidrivers', 'CSIDriver', { spec: {} }, true],
    ['storage.k8s.io', 'csinodes', 'CSINode', { spec: { drivers: [] } }, true],
    [
      'storage.k8s.io',
      'volumeattributesclasses',
      'VolumeAttributesClass',
      { driverName: 'a.b', parameters: { a: 'b' } },
      true,
    ],
    ['resource.k8s.io', 'deviceclasses', 'DeviceClass', { spec: {} }, true],
    ['resource.k8s.io', 'resourceclaims', 'ResourceClaim', { spec: { devices } }, true],
    ['resource.k8s.io', 'resourceclaimtemplates', 'ResourceClaimTemplate', { spec: { spec: { devices } } }, true],
    ['resource.k8s.io', 'resourceslices', 'ResourceSlice', { spec: { driver: 'a.b', allNodes: true, pool } }, true],
    ['networking.k8s.io', 'ingressclasses', 'IngressClass', { spec: { controller: 'a.b/c' } }, false],
    ['node.k8s.io', 'runtimeclasses', 'RuntimeClass', { handler: 'a' }, false],
  ] as const)('of %s %s', async (group, resource, kind, fields, isObject) => {
    const { client, world } = startServer()
    await world.settle()
    const isClusterWide = !/^(resourcequotas|podtemplates|configmaps|resourceclaim)/.test(resource)
    const namespace = isClusterWide ? {} : { namespace: 'default' }
    const object = { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, metadata, ...fields }
    const at = { resource: ref(group, resource), ...namespace }
    await client.request({ verb: 'create', ...at, body: { type: 'object', object } })
    const { body } = await client.request({ verb: 'delete', ...at, name: 'x' })
    expect(body).toMatchObject({ object: { kind: isObject ? kind : 'Status' } })
  })
})

it('of a priority class of the system is refused', async () => {
  const { client } = startServer()
  const resource = ref('scheduling.k8s.io', 'priorityclasses')
  await expect(client.request({ verb: 'delete', resource, name: 'system-node-critical' })).rejects.toMatchObject({
    code: 403,
    message:
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  })
})
