// One object for every loop that the main story does not need, so that no loop goes through it idle.

import {
  ClusterRole,
  CronJob,
  DaemonSet,
  HorizontalPodAutoscaler,
  Job,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  type PodTemplateSpec,
  ReplicationController,
  ResourceQuota,
  Secret,
  StatefulSet,
} from '#kinds'
import type { TestMachine } from '../support/machine.ts'
import { job } from '../support/manifests.ts'
import { createDeviceCrowd, isDeviceSettled } from './device-crowd.ts'
import { createEdgeCrowd, isEdgeSettled } from './edge-crowd.ts'
import { createSideCrowd, isSideSettled } from './side-crowd.ts'

const template = (app: string): PodTemplateSpec => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
})

/** A pod that no Job will ever let go of. */
const leftBehind = (metadata: { readonly name: string; readonly namespace: string }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, finalizers: ['batch.kubernetes.io/job-tracking'] },
  spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
})

const selector = (app: string) => ({ matchLabels: { app } })

/** Creates them all in `namespace`, where a Deployment `web` is. */
export async function createCrowd({ client }: TestMachine, namespace: string): Promise<void> {
  const named = (name: string) => ({ name, namespace })
  await client.create(ReplicationController, {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: named('old-style'),
    spec: { replicas: 1, selector: { app: 'old-style' }, template: template('old-style') },
  })
  await client.create(Pod, leftBehind(named('nobodys')))
  await client.create(StatefulSet, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: named('db'),
    spec: { replicas: 2, serviceName: 'db', selector: selector('db'), template: template('db') },
  })
  await client.create(DaemonSet, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: named('agent'),
    spec: { selector: selector('agent'), template: template('agent') },
  })
  await createJobs({ client }, namespace)
  await client.create(ResourceQuota, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: named('limits'),
    spec: { hard: { pods: '50' } },
  })
  await client.create(PodDisruptionBudget, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: named('web'),
    spec: { minAvailable: 1, selector: selector('web') },
  })
  await client.create(HorizontalPodAutoscaler, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: named('old-style'),
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'v1', kind: 'ReplicationController', name: 'old-style' } },
  })
  await client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...named('token'), annotations: { 'kubernetes.io/service-account.name': 'default' } },
    type: 'kubernetes.io/service-account-token',
  })
  await createVolumes({ client }, namespace)
  await createScratch({ client }, namespace)
  await createEdgeCrowd({ client }, namespace)
  await createSideCrowd({ client }, namespace)
  await createDeviceCrowd({ client }, namespace)
  await client.create(ClusterRole, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'all-of-ours' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { ours: 'yes' } }] },
    rules: [],
  })
}

async function createJobs({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  const brief = job('brief', 1, namespace)
  await client.create(Job, { ...brief, spec: { ...brief.spec, ttlSecondsAfterFinished: 5, template: jobTemplate } })
  const certgen = { name: 'work', image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.5.2' }
  const args = ['create', '--secret-name=admission']
  await client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'certgen', namespace },
    spec: { restartPolicy: 'Never', containers: [{ ...certgen, args }], tolerations: [{ operator: 'Exists' }] },
  })
  const redis = { name: 'secret-init', image: 'quay.io/argoproj/argocd:v3.1.0' }
  await client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'redis-secret-init', namespace },
    spec: {
      restartPolicy: 'Never',
      containers: [{ ...redis, command: ['argocd', 'admin', 'redis-initial-password'] }],
      tolerations: [{ operator: 'Exists' }],
    },
  })
  // Still at work when its job is taken away.
  const long = { name: 'work', image: 'busybox:1.36', command: ['sleep', '36000'] }
  const left = job('left-behind', 1, namespace)
  const template: PodTemplateSpec = { spec: { restartPolicy: 'Never', containers: [long] } }
  await client.create(Job, { ...left, spec: { ...left.spec, template } })
  await client.create(CronJob, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'new-year', namespace },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: jobTemplate } } },
  })
}

const jobTemplate: PodTemplateSpec = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.36', command: ['true'] }] },
}

async function createVolumes({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  const storage = { storage: '1Gi' }
  await client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: {
      capacity: storage,
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/data' },
      storageClassName: 'by-hand',
    },
  })
  await client.create(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'disk', namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: storage },
      storageClassName: 'by-hand',
      volumeName: 'disk',
    },
  })
}

/** A set whose pod has a claim of its own, and the volume for it. Only one pod of that name can ever claim it. */
async function createScratch({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  const claim = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'scratch',
  } as const
  await client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'scratch' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/scratch' },
      storageClassName: 'scratch',
    },
  })
  const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec: claim } } }]
  const { metadata, spec } = template('scratch')
  await client.create(StatefulSet, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'scratch', namespace },
    spec: {
      replicas: 1,
      serviceName: 'scratch',
      selector: selector('scratch'),
      template: {
        ...(metadata === undefined ? {} : { metadata }),
        spec: { containers: [], ...spec, tolerations: [{ operator: 'Exists' }], volumes },
      },
    },
  })
}

/** Whether everything in the crowd has come to its end. */
export async function isCrowdSettled(test: TestMachine, namespace: string): Promise<boolean> {
  const set = await test.find(StatefulSet, { namespace, name: 'db' })
  const daemons = await test.find(DaemonSet, { namespace, name: 'agent' })
  const controller = await test.find(ReplicationController, { namespace, name: 'old-style' })
  const brief = await test.find(Job, { namespace, name: 'brief' })
  const claim = await test.find(PersistentVolumeClaim, { namespace, name: 'disk' })
  const scratch = await test.find(StatefulSet, { namespace, name: 'scratch' })
  const admission = await test.find(Secret, { namespace, name: 'admission' })
  return (
    set?.status?.readyReplicas === 2 &&
    daemons?.status?.numberReady === 3 &&
    daemons.status.updatedNumberScheduled === 3 &&
    controller?.status?.readyReplicas === 1 &&
    brief === undefined &&
    claim?.status?.phase === 'Bound' &&
    admission !== undefined &&
    scratch?.status?.readyReplicas === 1 &&
    (await isEdgeSettled(test, namespace)) &&
    (await isSideSettled(test, namespace)) &&
    (await isDeviceSettled(test, namespace))
  )
}
