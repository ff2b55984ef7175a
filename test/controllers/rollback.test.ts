// Deployments that go back to a former template because an annotation of the old rollback API asks for it.
import { describe, expect, it } from 'vitest'
import { Deployment } from '#kinds'
import { deployment } from '../support/manifests.ts'
import { type Cluster, merge, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'web' }
const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'app', image: name }] } } } })

describe('a Deployment with the annotation of the old rollback API', () => {
  const annotation = 'deprecated.deployment.rollback.to'
  async function twice(cluster: Cluster): Promise<void> {
    const first = deployment('web', { replicas: 1, image: 'nginx:1' })
    const annotations = { 'kubernetes.io/change-cause': 'first' }
    await cluster.client.create(Deployment, { ...first, metadata: { ...first.metadata, annotations } })
    await cluster.rolledOut('web')
    const cause = { metadata: { annotations: { 'kubernetes.io/change-cause': 'second' } } }
    await cluster.client.patch(
      Deployment,
      ref,
      { ...cause, ...image('nginx:2') },
      { type: 'application/strategic-merge-patch+json' },
    )
    await cluster.rolledOut('web')
  }
  async function goBack(cluster: Cluster, revision: string): Promise<Deployment> {
    await cluster.client.patch(Deployment, ref, { metadata: { annotations: { [annotation]: revision } } }, merge)
    await cluster.world.advance(1000)
    return cluster.deployment('web')
  }
  const rollbacks = async (cluster: Cluster) =>
    (await cluster.events('Deployment')).filter((text) => text.startsWith('DeploymentRollback'))

  it.each(['0', '1', '+1'])('goes back to the template of revision %s, and to its annotations', async (revision) => {
    const cluster = await startCluster()
    await twice(cluster)
    await goBack(cluster, revision)
    await cluster.rolledOut('web')
    const { metadata, spec } = await cluster.deployment('web')
    expect(spec.template.spec?.containers[0]?.image).toBe('nginx:1')
    expect(spec.template.metadata?.labels).toEqual({ app: 'web' })
    expect(metadata.annotations).toEqual({
      'deployment.kubernetes.io/revision': '3',
      'kubernetes.io/change-cause': 'first',
    })
    expect(await rollbacks(cluster)).toEqual(['DeploymentRollback: Rolled back deployment "web" to revision 1'])
    await cluster.stop()
  })

  it.each([
    ['7', 'DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.'],
    [
      '2',
      'DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment "web"',
    ],
  ])('gives up where revision %s is not there or no change', async (revision, text) => {
    const cluster = await startCluster()
    await twice(cluster)
    const { metadata, spec } = await goBack(cluster, revision)
    expect(metadata.annotations?.[annotation]).toBeUndefined()
    expect(spec.template.spec?.containers[0]?.image).toBe('nginx:2')
    expect(await rollbacks(cluster)).toEqual([text])
    await cluster.stop()
  })

  it('gives up where there is no revision before', async () => {
    const cluster = await startCluster()
    const { metadata, ...rest } = deployment('web', { replicas: 1 })
    await cluster.client.create(Deployment, {
      ...rest,
      metadata: { ...metadata, annotations: { [annotation]: '0' } },
    })
    await cluster.rolledOut('web')
    expect((await cluster.deployment('web')).metadata.annotations?.[annotation]).toBeUndefined()
    expect(await rollbacks(cluster)).toEqual(['DeploymentRollbackRevisionNotFound: Unable to find last revision.'])
    await cluster.stop()
  })

  it('waits while the Deployment is paused, and means nothing where it is no number', async () => {
    const cluster = await startCluster()
    await twice(cluster)
    await cluster.client.patch(Deployment, ref, { spec: { paused: true } }, merge)
    expect((await goBack(cluster, '1')).metadata.annotations?.[annotation]).toBe('1')
    await goBack(cluster, 'one')
    await cluster.client.patch(Deployment, ref, { spec: { paused: false } }, merge)
    await cluster.rolledOut('web')
    expect((await cluster.deployment('web')).metadata.annotations?.[annotation]).toBe('one')
    expect(await rollbacks(cluster)).toEqual([])
    await cluster.stop()
  })
})
