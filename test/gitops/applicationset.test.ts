// ApplicationSets from the repository to what runs, in virtual time with the real API server.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Application, ApplicationSet, ConfigMap } from '#kinds'
import { temporaryDirectory } from './git-repository.ts'
import { startGitServer } from './git-server.ts'
import { application, auto, configMap, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const ref = (name: string) => ({ namespace: 'argocd', name })
const find = () => lab.find(ApplicationSet, ref('set'))
const names = async (): Promise<readonly string[]> =>
  (await lab.client.list(Application, { namespace: 'argocd' })).items.map(({ metadata }) => metadata.name ?? '').sort()

async function createSet(spec: object): Promise<void> {
  await lab.client.create(ApplicationSet, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      template: {
        metadata: { name: '{{.path.basename}}' },
        spec: {
          project: 'default',
          source: { repoURL: lab.repo.path, path: '{{.path.path}}' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
          syncPolicy: { automated: { prune: true }, syncOptions: ['CreateNamespace=true'] },
        },
      },
      ...spec,
    },
  } as unknown as ApplicationSet)
}

const folders = () => ({ generators: [{ git: { repoURL: lab.repo.path, directories: [{ path: 'apps/*' }] } }] })

describe('an ApplicationSet', () => {
  test('makes an application of each folder, follows commits, and takes along what it made', async () => {
    lab = await startLab({ files: { 'apps/a/x.yaml': configMap('a', '1'), 'apps/b/x.yaml': configMap('b', '1') } })
    await createSet(folders())
    await lab.settled('a')
    await lab.settled('b')
    const app = await lab.app('a')
    expect(app?.metadata.ownerReferences).toMatchObject([{ kind: 'ApplicationSet', name: 'set', controller: true }])
    await lab.commit({ 'apps/c/x.yaml': configMap('c', '1') })
    await lab.settled('c')
    await lab.remove('apps/b/x.yaml')
    await lab.until(async () => !(await names()).includes('b'))
    expect(await lab.find(ConfigMap, { namespace: 'shop', name: 'b' })).toBeUndefined()
    await lab.until(async () => (await find())?.status?.resourcesCount === 2)
    expect((await find())?.status).toMatchObject({
      conditions: [
        { type: 'ErrorOccurred', status: 'False' },
        { type: 'ParametersGenerated', status: 'True' },
        { type: 'ResourcesUpToDate', status: 'True', reason: 'ApplicationSetUpToDate' },
      ],
      resources: [{ name: 'a' }, { name: 'c' }],
    })
    await lab.client.delete(ApplicationSet, ref('set'))
    await lab.until(async () => (await names()).length === 0)
    expect(await lab.find(ConfigMap, { namespace: 'shop', name: 'a' })).toBeUndefined()
  })

  test('preserveResourcesOnDeletion holds for an Application that goes in the same breath', async () => {
    lab = await startLab({ files: { 'a/a.yaml': configMap('a', '1'), 'b/b.yaml': configMap('b', '1') } })
    const set = (names: readonly string[], more: object = {}) => ({
      spec: {
        generators: [{ list: { elements: names.map((name) => ({ name })) } }],
        template: {
          metadata: { name: '{{name}}' },
          spec: application('x', lab.repo, { automated: auto, path: '{{name}}' }).spec,
        },
        ...more,
      },
    })
    const made = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { namespace: 'argocd', name: 'set' },
    }
    await lab.client.create(ApplicationSet, { ...made, ...set(['a', 'b']) } as unknown as ApplicationSet)
    await lab.until(async () => (await lab.app('a'))?.status?.sync?.status === 'Synced')
    await lab.client.patch(
      ApplicationSet,
      made.metadata,
      set(['b'], { syncPolicy: { preserveResourcesOnDeletion: true } }),
      { type: 'application/merge-patch+json' },
    )
    await lab.until(async () => (await lab.app('a')) === undefined)
    await lab.world.advance(30_000)
    expect(await lab.find(ConfigMap, { namespace: 'shop', name: 'a' })).toBeDefined()
  })

  test('a fault is told, changes nothing, and goes when it is mended', async () => {
    lab = await startLab({ files: { 'apps/a/config.yaml': 'size: 1\n', 'apps/a/x.yaml': configMap('a', '1') } })
    const files = [{ path: 'apps/*/config.yaml' }]
    await createSet({ generators: [{ git: { repoURL: lab.repo.path, files } }] })
    await lab.settled('a')
    await lab.commit({ 'apps/a/config.yaml': 'size: [\n' })
    await lab.until(async () => (await find())?.status?.conditions?.[0]?.status === 'True')
    expect((await find())?.status?.conditions?.[0]?.message).toMatch(/^git: unable to parse file apps\/a\/config\.yaml/)
    expect(await names()).toEqual(['a'])
    await lab.commit({ 'apps/a/config.yaml': 'size: 2\n' })
    await lab.until(async () => (await find())?.status?.conditions?.[0]?.status === 'False')
  })

  test('reads a repository that only parameters name', async () => {
    const root = temporaryDirectory('served')
    const server = await startGitServer({ root })
    lab = await startLab({ files: { 'apps/a/x.yaml': configMap('a', '1') }, mirrors: temporaryDirectory('mirrors') })
    lab.repo.git('clone', '-q', '--bare', lab.repo.path, join(root, 'apps.git'))
    const list = { elements: [{ repo: `${server.url}/apps.git` }] }
    const git = { repoURL: '{{.repo}}', directories: [{ path: 'apps/*' }] }
    await createSet({ generators: [{ matrix: { generators: [{ list }, { git }] } }] })
    await lab.settled('a')
    await server.close()
    rmSync(root, { recursive: true })
  })

  test('sets an application back that somebody changed, and makes one anew that is gone', async () => {
    lab = await startLab({ files: { 'apps/a/x.yaml': configMap('a', '1') } })
    await createSet(folders())
    await lab.settled('a')
    const patch = { spec: { source: { path: 'elsewhere' } } }
    await lab.patch('a', patch)
    await lab.until(async () => (await lab.app('a'))?.spec.source?.path === 'apps/a')
    const uid = (await lab.app('a'))?.metadata.uid
    await lab.client.delete(Application, ref('a'))
    await lab.until(async () => {
      const now = await lab.app('a')
      return now !== undefined && now.metadata.uid !== uid
    })
  })
})
