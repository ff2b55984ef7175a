// Small objects for tests, as a person would write them.

import type { ConfigMap, Deployment, Job, Namespace, Pod, PodTemplateSpec, Service } from '#kinds'

type Labels = Readonly<Record<string, string>>

export const namespace = (name: string): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  spec: {},
})

export const configMap = (name: string, data: Labels = {}, inNamespace = 'default'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: inNamespace },
  data,
})

const template = (labels: Labels, image: string): PodTemplateSpec => ({
  metadata: { labels },
  spec: { containers: [{ name: 'app', image }] },
})

export const pod = (name: string, more: Partial<Pod['spec']> = {}, labels: Labels = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
  spec: { containers: [{ name: 'app', image: 'nginx:1.27' }], ...more },
})

export interface WorkloadOptions {
  readonly replicas?: number
  readonly image?: string
  readonly namespace?: string
}

/** A Deployment whose pods carry `app: <name>`. */
export const deployment = (name: string, options: WorkloadOptions = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: options.namespace ?? 'default', labels: { app: name } },
  spec: {
    replicas: options.replicas ?? 3,
    selector: { matchLabels: { app: name } },
    template: template({ app: name }, options.image ?? 'nginx:1.27'),
  },
})

/** A Service on port 80 for the pods of {@link deployment} `name`. */
export const service = (name: string, inNamespace = 'default'): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: inNamespace },
  spec: { selector: { app: name }, ports: [{ port: 80 }] },
})

/** A Job that runs `completions` pods to their end. */
export const job = (name: string, completions = 2, inNamespace = 'default'): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: inNamespace },
  spec: {
    completions,
    parallelism: completions,
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.36', command: ['true'] }] },
    },
  },
})
