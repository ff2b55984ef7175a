// `homeostat check`: what becomes of a repository in a cluster of its own.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { CheckReport } from '#lab'
import { createRepository, type TestRepository, temporaryDirectory } from '../gitops/git-repository.ts'
import { customKind, definitionOf, objectOf } from '../support/custom-kinds.ts'
import {
  change,
  child,
  configMap,
  deployment,
  type Files,
  kubectl,
  manifest,
  type Ran,
  runIn,
  selfUrl,
} from './rehearsal.ts'

let repo: TestRepository
beforeEach(() => {
  repo = createRepository()
  repo.git('remote', 'add', 'origin', selfUrl)
})
afterEach(() => repo.remove())

/** Commits the files and checks them. */
async function check(files: Files, ...args: readonly string[]): Promise<Ran & { readonly report: CheckReport }> {
  change(repo, files)
  const ran = await runIn(repo.path, 'check', '-o', 'json', ...args)
  if (ran.out === '') throw new Error(ran.err)
  return { ...ran, report: JSON.parse(ran.out) as CheckReport }
}

it('sends nothing to webhooks outside of the cluster, on this machine neither, unless they are named', async () => {
  let connections = 0
  const listener = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined).destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  const files = {
    'hook.yaml': manifest({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'spy' },
      webhooks: [
        {
          name: 'spy.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { url: `https://${host}/see` },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'secrets'] }],
        },
      ],
    }),
    'map.yaml': configMap('m', '1'),
  }
  const { code, report } = await check(files, '--timeout', '5m')
  expect(code).toBe(1)
  expect(JSON.stringify(report)).toContain(`--webhook-host ${host}`)
  expect(connections).toBe(0)
  await check(files, '--timeout', '5m', '--webhook-host', host)
  expect(connections).toBeGreaterThan(0)
  expect((await runIn(repo.path, 'check', '--webhook-host', 'https://x')).err).toContain(
    '--webhook-host https://x: give a host',
  )
  await new Promise<void>((resolve) => listener.close(() => resolve()))
})

describe('a repository that is in order', () => {
  it('ends with 0, and says so in every format', async () => {
    const { code, report } = await check({
      'web.yaml': deployment('web', { replicas: 2 }),
      'map.yaml': configMap('m', '1'),
    })
    expect(code).toBe(0)
    expect(report).toMatchObject({
      inOrder: true,
      end: { settled: true },
      counts: { applications: 1, inOrder: 1, objects: 2 },
      applications: [{ inOrder: true, sync: 'Synced', health: 'Healthy', objects: 2, troubles: [], conditions: [] }],
      failingLoops: [],
    })
    expect(report.revision.id).toBe(repo.git('rev-parse', 'HEAD'))
    expect((await runIn(repo.path, 'check')).out).toMatch(
      /^✓ homeostat-repo-\S+ at [0-9a-f]{7} \(HEAD\): the Application is in order with 2 objects, settled after \d+s of virtual time\n\nAPPLICATION +SYNC +HEALTH +OBJECTS +REVISION\n/,
    )
    expect(parse((await runIn(repo.path, 'check', '-o', 'yaml')).out)).toEqual(report)
    expect((await runIn(repo.path, 'check', '-o', 'markdown')).out).toMatch(/^### ✅ Check of homeostat-repo-/)
  })

  it('Applications of Applications and of ApplicationSets are followed, and synced once where nothing does it', async () => {
    const set = manifest({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name: 'teams', namespace: 'argocd' },
      spec: {
        goTemplate: true,
        generators: [{ git: { repoURL: selfUrl, revision: 'main', directories: [{ path: 'teams/*' }] } }],
        template: {
          metadata: { name: '{{.path.basename}}' },
          spec: {
            project: 'default',
            source: { repoURL: selfUrl, path: '{{.path.path}}', targetRevision: 'main' },
            destination: { server: 'https://kubernetes.default.svc', namespace: '{{.path.basename}}' },
            syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] },
          },
        },
      },
    })
    const { code, report } = await check({
      'set.yaml': set,
      'man.yaml': child('man').replace(/"automated": \{[^}]*\},?/, ''),
      'man/map.yaml': configMap('a', '1'),
      'teams/red/map.yaml': configMap('a', '1'),
      'teams/blue/map.yaml': configMap('a', '1'),
    })
    expect(code).toBe(0)
    expect(report.applications.map(({ name, sync }) => `${name} ${sync}`)).toEqual([
      'blue Synced',
      expect.stringMatching(/^homeostat-repo-\S+ Synced$/),
      'man Synced',
      'red Synced',
    ])
  })

  it('what git has suspended is', async () => {
    const suspended = manifest({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'nightly' },
      spec: {
        suspend: true,
        schedule: '0 3 * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } } },
        },
      },
    })
    expect((await check({ 'job.yaml': suspended })).code).toBe(0)
  })

  it('definitions that the cluster has already are given with --with', async () => {
    const schema = { openAPIV3Schema: objectOf({ spec: { type: 'object' } }) }
    const definition = manifest(definitionOf(customKind('Thing'), { versions: [{ schema }] }))
    const thing = { 'thing.yaml': manifest({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' } }) }
    expect((await check(thing)).report.applications[0]?.troubles).toMatchObject([{ kind: 'Thing', sync: 'OutOfSync' }])
    mkdirSync(join(repo.path, 'given'))
    writeFileSync(join(repo.path, 'given', 'crd.yaml'), definition)
    expect((await check(thing, '--with', 'given')).code).toBe(0)
  })
})

describe('a repository that is not', () => {
  it('says which loop is stuck, and what it sees', async () => {
    const { code, report } = await check({
      'web.yaml': deployment('web', { image: 'registry.example.com/web:missing' }),
    })
    expect(code).toBe(1)
    expect(report).toMatchObject({ inOrder: false, end: { settled: true }, applications: [{ health: 'Degraded' }] })
    const [trouble] = report.applications[0]?.troubles ?? []
    expect(trouble?.findings.at(-1)).toMatchObject({
      state: 'stuck',
      loop: expect.stringMatching(/^kubelet on node-\d+$/),
      gap: expect.stringContaining('ImagePullBackOff'),
    })
    const { out } = await runIn(repo.path, 'check')
    expect(out).toMatch(/^✗ /)
    expect(out).toContain('advice    The image or its tag does not exist')
  })

  it('names file and line of what cannot be read', async () => {
    const { code, report } = await check({ 'bad.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [a\n' })
    expect([code, report.applications[0]?.conditions[0]?.message]).toEqual([
      1,
      expect.stringContaining('bad.yaml:4:9: '),
    ])
  })

  it('does not wait for ever', async () => {
    const waits = manifest({ ...(JSON.parse(deployment('web')) as object), metadata: { name: 'web' } }).replace(
      '"image": "nginx:1.27"',
      '"image": "nginx:1.27", "readinessProbe": {"initialDelaySeconds": 600, "tcpSocket": {"port": 80}}',
    )
    const { code, report } = await check({ 'web.yaml': waits }, '--timeout', '2m')
    expect([code, report.end]).toEqual([1, { settled: false, seconds: 120 }])
  })

  it('nothing of it writes into a comment what is not its place', async () => {
    change(repo, {
      'bad.yaml': manifest({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'x', labels: { a: '``` </details> @everyone ' } },
      }),
    })
    const above = temporaryDirectory('entity')
    const entity = join(above, '&#64;everyone')
    mkdirSync(entity)
    writeFileSync(join(entity, 'map.yaml'), configMap('a', '1'))
    expect((await runIn(entity, 'check', '-o', 'markdown')).out).not.toMatch(/[^\\]&#/)
    rmSync(above, { recursive: true })
    const { out } = await runIn(repo.path, 'check', '-o', 'markdown')
    const outside = out.replace(/^(`{3,})[\s\S]*?^\1$/gm, '')
    expect(out).toContain('@everyone')
    expect(outside).not.toMatch(/@everyone|^```/m)
  })
})

describe('where it is', () => {
  it('a folder that is no repository is checked as it lies there, a repository by commit or by files', async () => {
    const plain = temporaryDirectory('plain')
    writeFileSync(join(plain, 'map.yaml'), configMap('a', '1'))
    expect(await runIn(plain, 'check')).toMatchObject({
      code: 0,
      out: expect.stringContaining('the files in this folder'),
    })
    rmSync(plain, { recursive: true })
    change(repo, { 'm/map.yaml': configMap('a', '1') })
    repo.write({ 'm/map.yaml': configMap('a', '1'), 'm/more.yaml': configMap('b', '1') })
    const counted = async (...args: readonly string[]): Promise<number> =>
      (JSON.parse((await runIn(repo.path, 'check', '-o', 'json', '--path', 'm', ...args)).out) as CheckReport).counts
        .objects
    expect([await counted(), await counted('--worktree')]).toEqual([1, 2])
  })

  it.each([
    [3, /there are no manifests in the root of the repository: folders below it are not read/, []],
    [3, /there are no manifests in docs: folders below it are not read/, ['--path', 'docs']],
    [3, /--path none: app path does not exist: name a folder/, ['--path', 'none']],
    [3, /--path m\/map\.yaml: app path is not a directory/, ['--path', 'm/map.yaml']],
    [3, /unable to resolve 'v9' to a commit SHA/, ['--revision', 'v9']],
    [2, /--nodes 0: give a whole number/, ['--nodes', '0']],
  ] as const)('ends with %i: %s', async (code, message, args) => {
    change(repo, { 'm/map.yaml': configMap('a', '1'), 'docs/README.md': '' })
    expect(await runIn(repo.path, 'check', ...args)).toMatchObject({
      code,
      out: '',
      err: expect.stringMatching(message),
    })
  })
})

it.skipIf(kubectl === undefined)('a kustomization is rendered by the real one', async () => {
  const { code, report, err } = await check({
    'kustomization.yaml': 'resources: [web.yaml]\nnamePrefix: red-\n',
    'web.yaml': deployment('web'),
  })
  expect([code, report.counts.objects, err]).toEqual([0, 1, ''])
})
