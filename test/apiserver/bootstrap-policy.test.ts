// The roles and bindings that a cluster has from the start, and what becomes of them when the server starts again.

import { describe, expect, it } from 'vitest'
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#kinds'
import { simulatedWorld } from '#world'
import { startMachine } from '../support/machine.ts'
import { serve, startServer, type TestServer } from './server.ts'

const merge = { type: 'application/merge-patch+json' } as const
const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate'
const read = { verbs: ['get', 'list', 'watch'] }

/** Another server over the same store, as after a restart. */
const again = ({ store }: TestServer): TestServer => serve(simulatedWorld(2), store)

describe('a fresh cluster', () => {
  const { client } = startServer()

  it('has the roles of 1.34, marked as its own', async () => {
    const { items } = await client.list(ClusterRole)
    const names = items.map(({ metadata }) => metadata.name)
    expect(names.filter((name) => name?.startsWith('system:controller:') === true)).toHaveLength(37)
    expect(names).toEqual(
      expect.arrayContaining(['admin', 'cluster-admin', 'edit', 'view', 'system:node', 'system:volume-scheduler']),
    )
    expect(names).toHaveLength(68)
    for (const { metadata } of items) {
      expect(metadata.labels?.['kubernetes.io/bootstrapping'], metadata.name).toBe('rbac-defaults')
      expect(metadata.annotations, metadata.name).toEqual({ [autoupdate]: 'true' })
    }
  })

  it('writes rules down as Kubernetes does: sorted, and null where a loop gathers them', async () => {
    const deployment = await client.get(ClusterRole, { name: 'system:controller:deployment-controller' })
    expect(deployment.rules?.[0]).toEqual({
      verbs: ['get', 'list', 'update', 'watch'],
      apiGroups: ['apps', 'extensions'],
      resources: ['deployments'],
    })
    expect(deployment.rules?.at(-1)).toEqual({
      verbs: ['create', 'patch', 'update'],
      apiGroups: ['', 'events.k8s.io'],
      resources: ['events'],
    })
    const edit = await client.get(ClusterRole, { name: 'edit' })
    expect(edit.rules).toBeNull()
    expect(edit.aggregationRule).toEqual({
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
    })
    expect(edit.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' })
  })

  it('binds them to groups, components and service accounts', async () => {
    const subjects = async (name: string): Promise<unknown> => (await client.get(ClusterRoleBinding, { name })).subjects
    const group = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group' }
    expect(await subjects('cluster-admin')).toEqual([{ ...group, name: 'system:masters' }])
    expect(await subjects('system:public-info-viewer')).toEqual([
      { ...group, name: 'system:authenticated' },
      { ...group, name: 'system:unauthenticated' },
    ])
    expect(await subjects('system:node')).toBeUndefined()
    expect(await subjects('system:controller:job-controller')).toEqual([
      { kind: 'ServiceAccount', name: 'job-controller', namespace: 'kube-system' },
    ])
    expect((await client.list(Role, { namespace: 'kube-system' })).items).toHaveLength(6)
    expect((await client.list(RoleBinding, { namespace: 'kube-public' })).items).toHaveLength(1)
  })
})

describe('at the next start', () => {
  it('adds what was taken away, and keeps what was added', async () => {
    const first = startServer()
    const name = 'system:kube-dns'
    const extra = { ...read, apiGroups: [''], resources: ['pods'] }
    await first.client.patch(ClusterRole, { name }, { rules: [extra], metadata: { labels: { team: 'dns' } } }, merge)
    const ann = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }
    await first.client.patch(ClusterRoleBinding, { name: 'cluster-admin' }, { subjects: [ann] }, merge)
    await first.client.delete(ClusterRole, { name: 'view' })
    const { client } = again(first)
    const role = await client.get(ClusterRole, { name })
    expect(role.rules).toEqual([
      extra,
      { verbs: ['list'], apiGroups: [''], resources: ['endpoints'] },
      { verbs: ['watch'], apiGroups: [''], resources: ['endpoints'] },
      { verbs: ['list'], apiGroups: [''], resources: ['services'] },
      { verbs: ['watch'], apiGroups: [''], resources: ['services'] },
    ])
    expect(role.metadata.labels).toEqual({ 'kubernetes.io/bootstrapping': 'rbac-defaults', team: 'dns' })
    const binding = await client.get(ClusterRoleBinding, { name: 'cluster-admin' })
    expect(binding.subjects).toEqual([ann, { ...ann, kind: 'Group', name: 'system:masters' }])
    expect((await client.get(ClusterRole, { name: 'view' })).metadata.name).toBe('view')
  })

  it('leaves alone what says so', async () => {
    const first = startServer()
    const name = 'system:kube-dns'
    await first.client.patch(
      ClusterRole,
      { name },
      { rules: [], metadata: { annotations: { [autoupdate]: 'false' } } },
      merge,
    )
    expect((await again(first).client.get(ClusterRole, { name })).rules).toBeNull()
  })

  it('points a binding back to its role', async () => {
    const first = startServer()
    const name = 'system:kube-dns'
    const binding = await first.client.get(ClusterRoleBinding, { name })
    await first.client.delete(ClusterRoleBinding, { name })
    const { resourceVersion: _version, uid: _uid, ...metadata } = binding.metadata
    await first.client.create(ClusterRoleBinding, {
      ...binding,
      metadata,
      roleRef: { ...binding.roleRef, name: 'cluster-admin' },
    })
    expect((await again(first).client.get(ClusterRoleBinding, { name })).roleRef.name).toBe(name)
  })

  it('writes nothing when nothing is missing', () => {
    const first = startServer()
    const before = first.store.revision
    again(first)
    expect(first.store.revision).toBe(before)
  })
})

it('admin, edit and view gather their parts, and those of others', async () => {
  const test = startMachine({ nodes: 0 })
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
  const rule = { ...read, apiGroups: ['example.com'], resources: ['widgets'] }
  await test.client.create(ClusterRole, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'widgets', labels },
    rules: [rule],
  })
  const rulesOf = async (name: string): Promise<unknown> => (await test.client.get(ClusterRole, { name })).rules
  await test.until(async () => JSON.stringify(await rulesOf('admin')).includes('widgets'))
  expect(await rulesOf('admin')).toContainEqual({
    verbs: ['create'],
    apiGroups: ['authorization.k8s.io'],
    resources: ['localsubjectaccessreviews'],
  })
  expect(await rulesOf('view')).toContainEqual(rule)
  expect(await rulesOf('edit')).toContainEqual({
    verbs: ['impersonate'],
    apiGroups: [''],
    resources: ['serviceaccounts'],
  })
  await test.stop()
})
