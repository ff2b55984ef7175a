// One object for every loop that plays what is beside a control plane: cloud, ingress controllers, storage drivers.

import { Ingress, IngressClass, PersistentVolumeClaim, Service, StatefulSet, StorageClass, TrafficProbe } from '#kinds'
import type { TestMachine } from '../support/machine.ts'
import { service } from '../support/manifests.ts'

const app = 'vault'
const storageClassName = 'made'
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  storageClassName,
  resources: { requests: { storage: '1Gi' } },
} as const

export async function createEdgeCrowd({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  const balanced = service('balanced', namespace)
  // The node port is not left to chance, so that the end is always the same.
  const ports = (balanced.spec?.ports ?? []).map((port) => ({ ...port, nodePort: 30_080 }))
  await client.create(Service, { ...balanced, spec: { ...balanced.spec, type: 'LoadBalancer', ports } })
  await client.create(IngressClass, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'door' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  })
  await client.create(Ingress, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'door', namespace },
    spec: { ingressClassName: 'door', defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  })
  await client.create(TrafficProbe, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'Probe',
    metadata: { name: 'door' },
    spec: { target: { service: 'web', namespace, port: 80 } },
  })
  await client.create(StorageClass, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: storageClassName },
    provisioner: 'disk.example.com',
    allowVolumeExpansion: true,
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
        spec: { containers: [{ name: 'app', image: 'nginx:1.27' }], tolerations: [{ operator: 'Exists' }] },
      },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec } as unknown as PersistentVolumeClaim],
    },
  })
}

export async function isEdgeSettled(test: TestMachine, namespace: string): Promise<boolean> {
  const balanced = await test.find(Service, { namespace, name: 'balanced' })
  const door = await test.find(Ingress, { namespace, name: 'door' })
  const vault = await test.find(StatefulSet, { namespace, name: app })
  const claim = await test.find(PersistentVolumeClaim, { namespace, name: `data-${app}-0` })
  return (
    balanced?.status?.loadBalancer?.ingress?.[0] !== undefined &&
    door?.status?.loadBalancer?.ingress?.[0] !== undefined &&
    vault?.status?.readyReplicas === 1 &&
    claim?.status?.phase === 'Bound'
  )
}
