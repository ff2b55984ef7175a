// What the benches put on a cluster, and what they measure on their own process.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Client } from '#client'
import { Deployment, Namespace, Node, Service } from '#kinds'

export const namespace = 'bench'
const replicas = 100

export const allocatable = { cpu: '64', memory: '256Gi', pods: '250' } as const

export function collectGarbage(): void {
  setFlagsFromString('--expose_gc')
  ;(runInNewContext('gc') as () => void)()
}

/** Bytes of live objects. */
export function liveBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const labels = (i: number) => ({ app: `app-${i}` })

const deployment = (i: number, size: number): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `app-${i}`, namespace, labels: labels(i) },
  spec: {
    replicas: size,
    selector: { matchLabels: labels(i) },
    template: {
      metadata: { labels: labels(i) },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'registry.example.com/app:1',
            ports: [{ containerPort: 80 }],
            resources: { requests: { cpu: '10m', memory: '16Mi' } },
          },
        ],
      },
    },
  },
})

const service = (i: number): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: `app-${i}`, namespace },
  spec: { selector: labels(i), ports: [{ port: 80 }] },
})

export const createNamespace = (client: Client): Promise<unknown> =>
  client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })

/** Deployments of 100 replicas, each with its Service. */
export async function createLoad(client: Client, pods: number): Promise<void> {
  await Promise.all(
    Array.from({ length: Math.ceil(pods / replicas) }, async (_, i) => {
      await client.create(Service, service(i))
      await client.create(Deployment, deployment(i, Math.min(replicas, pods - i * replicas)))
    }),
  )
}

export const readyNodes = async (client: Client): Promise<number> =>
  (await client.list(Node)).items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: on }) => type === 'Ready' && on === 'True'),
  ).length

export const availablePods = async (client: Client): Promise<number> =>
  (await client.list(Deployment, { namespace })).items.reduce(
    (sum, { status }) => sum + (status?.availableReplicas ?? 0),
    0,
  )
