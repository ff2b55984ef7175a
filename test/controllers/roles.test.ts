// ClusterRoles that are made of others, over a real API server.
import { expect, it } from 'vitest'
import { ClusterRole } from '#kinds'
import { merge, startCluster } from './cluster.ts'

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })

const role = (
  name: string,
  more: Partial<ClusterRole>,
  labels: Readonly<Record<string, string>> = {},
): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  ...more,
})

async function startRoles(...parts: string[]) {
  const cluster = await startCluster({ nodes: 0 })
  const aggregationRule = { clusterRoleSelectors: parts.map((part) => ({ matchLabels: { part } })) }
  await cluster.client.create(ClusterRole, role('whole', { aggregationRule }))
  const whole = async () => (await cluster.client.get(ClusterRole, { name: 'whole' })).rules
  const resources = async () => (await whole())?.map((one) => one.resources?.join())
  return { cluster, whole, resources }
}

it('an aggregated role follows its parts, down to none', async () => {
  const { cluster, whole, resources } = await startRoles('yes')
  await cluster.client.create(ClusterRole, role('part', { rules: [rule('pods')] }, { part: 'yes' }))
  await cluster.until(async () => (await resources())?.join() === 'pods')
  await cluster.client.delete(ClusterRole, { name: 'part' })
  await cluster.world.advance(1000)
  expect((await whole()) ?? null).toBeNull()
  await cluster.stop()
})

it('the rules of an aggregated role stand in the order of its selectors, then of the names', async () => {
  const { cluster, resources } = await startRoles('late', 'early')
  await cluster.client.create(ClusterRole, role('a', { rules: [rule('pods'), rule('nodes')] }, { part: 'early' }))
  await cluster.client.create(ClusterRole, role('c', { rules: [rule('secrets')] }, { part: 'late' }))
  await cluster.client.create(ClusterRole, role('b', { rules: [rule('nodes')] }, { part: 'late' }))
  await cluster.world.advance(1000)
  expect(await resources()).toEqual(['nodes', 'secrets', 'pods'])
  await cluster.stop()
})

it('rules that somebody else keeps in an aggregated role stay while it has no parts', async () => {
  const { cluster, resources } = await startRoles('yes')
  await cluster.client.patch(ClusterRole, { name: 'whole' }, { rules: [rule('secrets')] }, merge)
  await cluster.world.advance(1000)
  expect(await resources()).toEqual(['secrets'])
  await cluster.client.create(ClusterRole, role('part', { rules: [rule('pods')] }, { part: 'yes' }))
  await cluster.world.advance(1000)
  expect(await resources()).toEqual(['pods'])
  await cluster.stop()
})
