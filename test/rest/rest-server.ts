// Argo CD's REST interface over a real in-process machine, asked as a client with a token asks.

import { vi } from 'vitest'
import { AppProject, ConfigMap, Namespace, Secret } from '#kinds'
import { type DashboardOptions, type DashboardServer, openDashboard, token } from '../wire/dashboard-server.ts'

export interface Answer<T> {
  readonly status: number
  readonly body: T
}

export interface RestServer extends DashboardServer {
  /** A request with the administrator's token, with another, or (null) with none. */
  ask<T = Record<string, unknown>>(request: string, body?: unknown, token?: string | null): Promise<Answer<T>>
  /** Sets the ConfigMap or Secret of this name in Argo CD's namespace. */
  configure(name: string, data: Readonly<Record<string, string>>): Promise<void>
}

export const adminToken = token

export async function openRest(options: DashboardOptions = {}): Promise<RestServer> {
  const server = await openDashboard(options)
  const { client } = server
  await vi.waitFor(() => expectSynced(server), { timeout: 20_000 })
  await client
    .create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' }, spec: {} })
    .catch(() => undefined)
  // Nothing may be created in a project that is not there yet.
  await vi.waitFor(() => client.get(AppProject, { namespace: 'argocd', name: 'default' }), { timeout: 10_000 })
  return {
    ...server,
    async ask<T>(request: string, body?: unknown, as: string | null = token): Promise<Answer<T>> {
      const [method = 'GET', path = ''] = request.split(' ')
      const response = await server.fetch(path, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as T }
    },
    async configure(name, data) {
      const metadata = { namespace: 'argocd', name }
      const type = 'application/apply-patch+yaml'
      if (name === 'argocd-secret') {
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data }
        await client.patch(Secret, metadata, secret, { type, fieldManager: 'test', force: true })
        return
      }
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
      await client.patch(ConfigMap, metadata, map, { type, fieldManager: 'test', force: true })
    },
  }
}

function expectSynced({ machine }: DashboardServer): void {
  if (!machine.runtime.synced()) throw new Error('the loops have not read the cluster yet')
}
