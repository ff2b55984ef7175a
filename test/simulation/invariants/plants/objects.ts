// Small objects to plant violations with.

import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  StatefulSet,
} from '#kinds'
import type { KubeObject } from '#objects'
import { at, owned } from './stage.ts'

export const setOf = (owner: Deployment, name: string, replicas: number): ReplicaSet =>
  owned(
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, namespace: 'default', labels: { app: 'web' } },
      spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: owner.spec.template },
    } as KubeObject,
    owner,
  ) as ReplicaSet

const selector = (app: string) => ({ matchLabels: { app } })
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
})

export const statefulSet = (): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: at('db'),
  spec: { replicas: 2, serviceName: 'db', selector: selector('db'), template: template('db') },
})

/** What remembers the template of a StatefulSet, as another one if there is an image. */
export const revisionOf = (set: StatefulSet, name: string, image?: string): ControllerRevision => {
  const containers = image === undefined ? set.spec.template.spec?.containers : [{ name: 'app', image }]
  return owned(
    {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: at(name),
      revision: 1,
      data: {
        spec: {
          template: { $patch: 'replace', ...set.spec.template, spec: { ...set.spec.template.spec, containers } },
        },
      },
    } as KubeObject,
    set,
  ) as ControllerRevision
}

export const daemonSet = (): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: at('agent'),
  spec: { selector: selector('agent'), template: template('agent') },
})

export const budget = (): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: at('web'),
  spec: { minAvailable: 1, selector: selector('web') },
})

export const sliceOf = ({ metadata }: Pod): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...at('web-1'), labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  endpoints: [
    {
      addresses: ['10.244.0.9'],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', namespace: 'default', name: metadata.name ?? '', uid: metadata.uid ?? '' },
    },
  ],
})
