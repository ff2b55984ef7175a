// How an application is compared: by the cluster's own answer, or by Argo CD's three-way merge.

import { afterEach, describe, expect, test } from 'vitest'
import {
  ConfigMap,
  Deployment,
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  Namespace,
  Service,
  WorkloadProfile,
} from '#kinds'
import { application, auto, configMap, deployment, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const merge = { type: 'application/merge-patch+json' } as const
const compareOptions = 'argocd.argoproj.io/compare-options'
const kubectl = () => lab.machine.client({ userAgent: 'kubectl/v1.34' })

async function createWith(options: string | undefined, files: Readonly<Record<string, string>>): Promise<void> {
  lab = await startLab({ files })
  const app = application('web', lab.repo, { automated: auto })
  const annotations = options === undefined ? {} : { [compareOptions]: options }
  await lab.create({ ...app, metadata: { ...app.metadata, annotations } })
  await lab.settled('web')
}

const fieldsOf = (at: number) => lab.gitops.driftLog('web')[at]?.fields.map(({ path }) => path)

describe('ServerSideDiff=false', () => {
  const web = (labels: object) =>
    manifest({ ...(JSON.parse(deployment('web', { replicas: 3 })) as object), metadata: { name: 'web', labels } })

  test('finds what is edited, leaves what git does not own, and takes away what git no longer says', async () => {
    await createWith('ServerSideDiff=false', { 'web/web.yaml': web({ team: 'blue', tier: 'front' }) })
    await kubectl().patch(Deployment, shop('web'), { spec: { replicas: 9, minReadySeconds: 1 } }, merge)
    await lab.until(() => lab.gitops.driftLog('web').length === 1, 1000)
    expect(fieldsOf(0)).toEqual(['spec.replicas'])
    await lab.settled('web')
    expect((await lab.find(Deployment, shop('web')))?.spec).toMatchObject({ replicas: 3, minReadySeconds: 1 })
    await lab.commit({ 'web/web.yaml': web({ team: 'red' }) })
    await lab.until(async () => (await lab.find(Deployment, shop('web')))?.metadata.labels?.['team'] === 'red')
    await lab.settled('web')
    expect((await lab.find(Deployment, shop('web')))?.metadata.labels).toEqual({ team: 'red' })
  })

  test('asks the cluster nothing, for one application or for all', async () => {
    await createWith(undefined, { 'web/web.yaml': deployment('web') })
    const condition = async () => (await lab.app('web'))?.status?.conditions?.[0]?.type
    const options = (value: string | null) =>
      lab.patch('web', { metadata: { annotations: { [compareOptions]: value } } })
    await lab.patch('web', { spec: { syncPolicy: { automated: null } } })
    // Only the cluster knows that it would refuse this.
    await lab.commit({ 'web/web.yaml': deployment('web', { replicas: -1 }) })
    await lab.until(async () => (await condition()) === 'RefusedResourceWarning')
    await options('ServerSideDiff=false')
    await lab.until(async () => (await condition()) === undefined)
    expect((await lab.app('web'))?.status?.sync?.status).toBe('OutOfSync')
    await options(null)
    await lab.until(async () => (await condition()) === 'RefusedResourceWarning')
    await lab.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cmd-params-cm', namespace: 'argocd' },
      data: { 'controller.diff.server.side': 'false' },
    })
    await lab.until(async () => (await condition()) === undefined)
    await options('ServerSideDiff=true')
    await lab.until(async () => (await condition()) === 'RefusedResourceWarning')
  })
})

const hook: MutatingWebhook = {
  name: 'hook.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
  clientConfig: { service: { namespace: 'hooks', name: 'hook' } },
}

/** A webhook that puts a label on ConfigMaps of the namespace shop, with the value that `profile` last got. */
async function startWebhook(profile: WorkloadProfile): Promise<void> {
  const { client } = lab
  const metadata = { name: 'hook', namespace: 'hooks' }
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hooks' }, spec: {} })
  await client.create(WorkloadProfile, profile)
  const ports = [{ port: 443, targetPort: 8443 }]
  await client.create(Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: { app: 'hook' }, ports },
  })
  await lab.world.advance(1000)
  await client.create(Deployment, {
    ...(JSON.parse(deployment('hook')) as Deployment),
    metadata,
  })
  await lab.until(async () => (await lab.find(Deployment, metadata))?.status?.readyReplicas === 1)
  await lab.world.advance(5000)
  const configuration = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' } as const
  await client.create(MutatingWebhookConfiguration, { ...configuration, metadata: { name: 'hook' }, webhooks: [hook] })
}

const labelling = (seen: string): WorkloadProfile => ({
  apiVersion: 'lab.homeostat.dev/v1alpha1',
  kind: 'WorkloadProfile',
  metadata: { name: 'hook' },
  spec: { match: { namespaces: ['hooks'] }, webhook: { mutate: { labels: { seen } } } },
})

test.each([
  [undefined, '1'],
  ['IncludeMutationWebhook=true', '2'],
])('what a webhook would write otherwise now (compare-options %s): the label is %s', async (options, expected) => {
  await createWith(options, { 'web/a.yaml': configMap('a', 'x') })
  await startWebhook(labelling('1'))
  const labels = async () => (await lab.find(ConfigMap, shop('a')))?.metadata.labels
  await lab.commit({ 'web/a.yaml': configMap('a', 'y') })
  await lab.until(async () => (await labels())?.['seen'] === '1')
  await lab.settled('web')
  await lab.client.patch(WorkloadProfile, { name: 'hook' }, { spec: labelling('2').spec }, merge)
  // Answers are kept while nothing changes that git or the cluster shows.
  const annotations = { 'argocd.argoproj.io/refresh': 'hard' }
  await lab.patch('web', { metadata: { annotations } })
  await lab.world.advance(60_000)
  expect(await labels()).toEqual({ seen: expected })
  expect((await lab.app('web'))?.status?.sync?.status).toBe('Synced')
  // What git owns is still seen.
  await kubectl().patch(ConfigMap, shop('a'), { data: { key: 'z' } }, merge)
  await lab.until(async () => (await lab.find(ConfigMap, shop('a')))?.data?.['key'] === 'y')
  expect(fieldsOf(0)).toContain('data.key')
})
