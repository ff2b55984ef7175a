// A set whose pod claims a device, and the device: for the loops of dynamic resources.

import { DeviceClass, ResourceClaimTemplate, ResourceSlice, StatefulSet } from '#kinds'
import type { TestMachine } from '../support/machine.ts'

const app = 'trainer'
const apiVersion = 'resource.k8s.io/v1'
const driver = 'gpu.example.com'

export async function createDeviceCrowd({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  await client.create(DeviceClass, { apiVersion, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} })
  await client.create(ResourceSlice, {
    apiVersion,
    kind: 'ResourceSlice',
    metadata: { name: 'gpus' },
    spec: {
      driver,
      allNodes: true,
      pool: { name: 'gpus', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0' }],
    },
  })
  await client.create(ResourceClaimTemplate, {
    apiVersion,
    kind: 'ResourceClaimTemplate',
    metadata: { name: app, namespace },
    spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } } },
  })
  await client.create(StatefulSet, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: app, namespace },
    spec: {
      replicas: 1,
      serviceName: app,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: {
          containers: [{ name: 'app', image: 'nginx:1.27', resources: { claims: [{ name: 'gpu' }] } }],
          resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: app }],
          tolerations: [{ operator: 'Exists' }],
        },
      },
    },
  })
}

export const isDeviceSettled = async (test: TestMachine, namespace: string): Promise<boolean> =>
  (await test.find(StatefulSet, { namespace, name: app }))?.status?.readyReplicas === 1
