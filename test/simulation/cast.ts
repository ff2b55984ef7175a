// The cast of a play: what people want to be there, in the words of their manifests. A play begins and ends with applying
// all of it; whatever they and others do in between must leave nothing behind.

import type { Kind } from '#kinds'
import {
  DaemonSet,
  Deployment,
  Ingress,
  IngressClass,
  Namespace,
  PodDisruptionBudget,
  type PodTemplateSpec,
  ResourceQuota,
  Service,
  StatefulSet,
  StorageClass,
  WorkloadProfile,
} from '#kinds'
import type { KubeObject } from '#objects'

export const stage = 'shop'

export interface Role {
  readonly kind: Kind
  readonly object: KubeObject
}

export const images = ['nginx:1.27', 'nginx:1.28', 'registry.example.com/broken:1'] as const

const labels = (app: string) => ({ app })
const named = (name: string) => ({ name, namespace: stage })
const selector = (app: string) => ({ matchLabels: labels(app) })

/** Ready some seconds after it started, so that rollouts take their time. */
const template = (app: string, more: object = {}): PodTemplateSpec => ({
  metadata: { labels: labels(app) },
  spec: {
    containers: [
      {
        name: 'app',
        image: images[0],
        resources: { requests: { cpu: '500m', memory: '64Mi' } },
        readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5, initialDelaySeconds: 2 },
      },
    ],
    ...more,
  },
})

const everywhere = { tolerations: [{ operator: 'Exists' }] }

const role = <T extends KubeObject>(kind: Kind<T>, object: T): Role => ({ kind: kind as unknown as Kind, object })

const deployment = (name: string, spec: Omit<Deployment['spec'], 'selector' | 'template'>): Role =>
  role(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: named(name),
    spec: { paused: false, ...spec, selector: selector(name), template: template(name) },
  })

const statefulSet = (name: string, spec: object): Role =>
  role(StatefulSet, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: named(name),
    spec: { replicas: 3, serviceName: name, selector: selector(name), template: template(name), ...spec },
  } as StatefulSet)

const daemonSet = (name: string, rollingUpdate: object): Role =>
  role(DaemonSet, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: named(name),
    spec: {
      selector: selector(name),
      template: template(name, everywhere),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    },
  })

const service = (name: string, spec: object = {}): Role =>
  role(Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: named(name),
    spec: { selector: labels(name), ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }], ...spec },
  } as Service)

const budget = (app: string, spec: object): Role =>
  role(PodDisruptionBudget, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: named(app),
    spec: { selector: selector(app), ...spec },
  } as PodDisruptionBudget)

const claims = [
  {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'made', resources: { requests: { storage: '1Gi' } } },
  },
]

export const cast: readonly Role[] = [
  role(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: stage } } as Namespace),
  role(WorkloadProfile, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'WorkloadProfile',
    metadata: { name: 'broken' },
    spec: { match: { images: ['registry.example.com/broken'] }, image: { pulls: [{ error: 'notFound' }] } },
  }),
  role(StorageClass, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'made' },
    provisioner: 'disk.example.com',
    allowVolumeExpansion: true,
  } as StorageClass),
  role(ResourceQuota, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: named('limits'),
    spec: { hard: { pods: '60', 'requests.cpu': '40' } },
  }),
  service('web'),
  service('api', { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 80, protocol: 'TCP', nodePort: 30_081 }] }),
  service('db', { clusterIP: 'None' }),
  service('agent'),
  deployment('web', {
    replicas: 4,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
  }),
  deployment('api', {
    replicas: 3,
    minReadySeconds: 3,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '34%', maxUnavailable: 0 } },
  }),
  deployment('old', { replicas: 2, strategy: { type: 'Recreate' } }),
  statefulSet('db', { minReadySeconds: 1, volumeClaimTemplates: claims }),
  statefulSet('cache', { podManagementPolicy: 'Parallel' }),
  daemonSet('agent', { maxUnavailable: 1, maxSurge: 0 }),
  daemonSet('edge', { maxUnavailable: 0, maxSurge: 1 }),
  budget('web', { minAvailable: 3 }),
  budget('db', { maxUnavailable: 1 }),
  role(IngressClass, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'door' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  } as IngressClass),
  role(Ingress, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: named('door'),
    spec: { ingressClassName: 'door', defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  } as Ingress),
]
