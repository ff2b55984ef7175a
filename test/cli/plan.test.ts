// `homeostat plan`: what a change of a repository would do, as the cluster itself lives through it.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRepository } from '../gitops/git-repository.ts'
import {
  change,
  child,
  configMap,
  deployment,
  job,
  manifest,
  objectsIn,
  planOf,
  runIn,
  twoCommits,
} from './rehearsal.ts'

const service = (name: string, app = name): string =>
  manifest({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app }, ports: [{ port: 80, targetPort: 8080 }] },
  })

const namespace = (name: string): string => manifest({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

const placed = (text: string, space: string): string => {
  const object = JSON.parse(text) as { readonly metadata: object }
  return manifest({ ...object, metadata: { ...object.metadata, namespace: space } })
}

describe('what changes', () => {
  it('is told field by field as the cluster would store it, deletions and additions by name', async () => {
    const plan = await planOf(
      { 'web.yaml': deployment('web'), 'old.yaml': service('old'), 'same.yaml': configMap('same', '1') },
      {
        'web.yaml': deployment('web', { replicas: 3, image: 'nginx:1.28' }),
        'old.yaml': undefined,
        'new.yaml': configMap('new', 'x'),
      },
    )
    expect(objectsIn(plan)).toEqual([
      'removed Service default/old',
      'changed Deployment default/web',
      'added ConfigMap default/new',
    ])
    const [{ objects = [] } = {}] = plan.applications
    expect(objects[1]?.fields).toEqual([
      { path: 'spec.replicas', from: 1, to: 3 },
      { path: 'spec.template.spec.containers[name=main].image', from: 'nginx:1.27', to: 'nginx:1.28' },
    ])
    expect(objects[2]?.manifest).toMatchObject({ data: { key: 'x' } })
    expect(plan).toMatchObject({
      code: 1,
      changes: true,
      inOrder: true,
      counts: { added: 1, changed: 1, removed: 1, failed: 0 },
      end: { settled: true, applications: 1, inOrder: 1 },
    })
  })

  it('is nothing where only the text of files does, and then it ends with 0', async () => {
    const web = deployment('web')
    const plan = await planOf({ 'web.yaml': web }, { 'web.yaml': `# a comment\n${web}`, 'README.md': 'x' })
    expect(plan).toMatchObject({ code: 0, changes: false, inOrder: true, applications: [] })
  })

  it('values of Secrets never show', async () => {
    const secret = (password: string): string =>
      manifest({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { password } })
    const files = [
      { 's.yaml': secret('hunter2') },
      { 's.yaml': secret('hunter3'), 't.yaml': secret('x').replace('db', 'more') },
    ] as const
    const repo = twoCommits(...files)
    for (const format of ['json', 'yaml', 'table', 'markdown']) {
      const { out, code } = await runIn(repo.path, 'plan', '-o', format)
      expect(code).toBe(1)
      expect(out).toMatch(/data\.password/)
      expect(out).toMatch(/\+{8}/)
      for (const value of ['hunter2', 'hunter3']) {
        expect(out).not.toContain(value)
        expect(out).not.toContain(btoa(value))
      }
    }
    repo.remove()
  })
})

describe('what the cluster refuses', () => {
  it('a Secret that is written wrongly is told without its values', async () => {
    const secret = (name: string, more: object): string =>
      manifest({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...more })
    const repo = twoCommits(
      { 'map.yaml': configMap('map', '1') },
      {
        'a.yaml': secret('a', { stringData: { pin: 73519846, other: ['hunter2'] } }),
        'b.yaml': secret('b', { data: 'hunter3' }),
      },
    )
    for (const format of ['json', 'yaml', 'table', 'markdown'])
      for (const command of ['plan', 'check']) {
        const { out } = await runIn(repo.path, command, '-o', format)
        expect(out).toContain('.stringData.pin: expected string, got another value, which is not shown')
        expect(out).not.toMatch(/73519846|hunter/)
      }
    repo.remove()
  })

  it('an immutable field is told in its words, with what it holds up', async () => {
    const other = deployment('web').replaceAll('"app": "web"', '"app": "other"')
    const plan = await planOf(
      { 'web.yaml': deployment('web'), 'map.yaml': configMap('map', '1') },
      { 'web.yaml': other, 'map.yaml': configMap('map', '2') },
    )
    expect(objectsIn(plan)).toEqual(['failed changed Deployment default/web', 'blocked changed ConfigMap default/map'])
    expect(plan.applications[0]?.objects[0]?.message).toMatch(/spec\.selector: Invalid value: .*field is immutable/)
    expect(plan).toMatchObject({ code: 1, inOrder: false, end: { settled: true, inOrder: 0 } })
    expect(plan.end.seconds).toBeLessThan(600)
  })

  it('a kind that nothing defines, and a quota that is used up', async () => {
    const quota = (pods: string): string =>
      manifest({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'quota' },
        spec: { hard: { services: pods } },
      })
    const before = { 'quota.yaml': quota('1'), 'a.yaml': service('a') }
    const refused = await planOf(before, {
      'b.yaml': service('b'),
      'c.yaml': manifest({ apiVersion: 'x.example.com/v1', kind: 'Thing', metadata: { name: 't' } }),
    })
    expect(objectsIn(refused)).toContain('failed added Thing default/t')
    const full = await planOf(before, { 'b.yaml': service('b') })
    expect(objectsIn(full)).toEqual(['failed added Service default/b'])
    expect(full.applications[0]?.objects[0]?.message).toContain('exceeded quota: quota')
  })

  it('what never came to be is no addition, and its change is told from git', async () => {
    const thing = manifest({ apiVersion: 'x.example.com/v1', kind: 'Thing', metadata: { name: 't' } })
    const before = { 'thing.yaml': thing, 'map.yaml': configMap('map', '1') }
    const after = { 'map.yaml': configMap('map', '2') }
    const plan = await planOf(before, after)
    expect(objectsIn(plan)).toEqual(['blocked changed ConfigMap default/map'])
    expect(plan.applications[0]?.objects[0]?.fields).toEqual([{ path: 'data.key', from: '1', to: '2' }])
    const assumed = await planOf(before, after, '--assume-kinds')
    expect(objectsIn(assumed)).toEqual(['changed ConfigMap default/map'])
    expect(assumed).toMatchObject({ inOrder: true, assumedKinds: ['Thing.x.example.com'], before: { inOrder: 1 } })
  })

  it('a webhook that the change brings stands in the way of what comes after it', async () => {
    const hook = manifest({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'guard', annotations: { 'argocd.argoproj.io/sync-wave': '-1' } },
      webhooks: [
        {
          name: 'guard.example.com',
          clientConfig: { service: { namespace: 'default', name: 'nobody' } },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
          ],
          matchPolicy: 'Exact',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        },
      ],
    })
    const plan = await planOf(
      { 'map.yaml': configMap('map', '1') },
      { 'map.yaml': configMap('map', '2'), 'hook.yaml': hook },
    )
    expect(objectsIn(plan)).toEqual([
      'failed changed ConfigMap default/map',
      'added ValidatingWebhookConfiguration guard',
    ])
    expect(plan.applications[0]?.objects[0]?.message).toContain('failed calling webhook "guard.example.com"')
  })
})

describe('the end', () => {
  it('an image that does not exist leaves the rollout stuck, and it says where', async () => {
    const repo = twoCommits(
      { 'web.yaml': deployment('web', { replicas: 2 }) },
      { 'web.yaml': deployment('web', { replicas: 2, image: 'registry.example.com/web:missing' }) },
    )
    const { out, code } = await runIn(repo.path, 'plan')
    expect(code).toBe(1)
    expect(out).toMatch(/Synced, Healthy → Synced, Degraded/)
    expect(out).toMatch(/kubelet on node-\d/)
    expect(out).toContain('ImagePullBackOff')
    repo.remove()
  })

  it('phases and waves are told in their order, with the time they took', async () => {
    const wave = (number: string): object => ({ 'argocd.argoproj.io/sync-wave': number })
    const plan = await planOf(
      { 'apps.yaml': child('shop'), 'shop/first.yaml': configMap('first', '1') },
      {
        'shop/first.yaml': configMap('first', '2', { 'argocd.argoproj.io/sync-wave': '-1' }),
        'shop/web.yaml': deployment('web', { annotations: wave('2') }),
        'shop/migrate.yaml': job('migrate', { 'argocd.argoproj.io/hook': 'PreSync' }, 'sleep 5'),
        'shop/after.yaml': job('after', { 'argocd.argoproj.io/hook': 'PostSync' }),
      },
    )
    const { order = [] } = plan.applications.find(({ name }) => name === 'shop') ?? {}
    expect(order.map(({ phase, wave: of, objects }) => [phase, of, objects[0]?.name])).toEqual([
      ['PreSync', 0, 'migrate'],
      ['Sync', -1, 'first'],
      ['Sync', 2, 'web'],
      ['PostSync', 0, 'after'],
    ])
    const times = order.map(({ atSeconds }) => atSeconds)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times[1]).toBeGreaterThanOrEqual(5)
    expect(order[0]?.objects[0]).toMatchObject({ hook: true, result: 'Succeeded' })
  })

  it('a Service without a ready endpoint on the way is told, and a budget that is broken', async () => {
    const recreate = (image: string): string => {
      const object = JSON.parse(deployment('web', { replicas: 2, image })) as { readonly spec: object }
      return manifest({ ...object, spec: { ...object.spec, strategy: { type: 'Recreate' } } })
    }
    const budget = manifest({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    })
    const plan = await planOf(
      { 'web.yaml': recreate('nginx:1.27'), 'svc.yaml': service('web'), 'pdb.yaml': budget },
      { 'web.yaml': recreate('nginx:1.28') },
    )
    expect(plan.inOrder).toBe(true)
    expect(plan.disruptions).toMatchObject([
      {
        kind: 'Service',
        namespace: 'default',
        name: 'web',
        message: expect.stringMatching(/no endpoint was ready for \d+ s/),
      },
      { kind: 'PodDisruptionBudget', name: 'web' },
    ])
    const rolling = await planOf(
      { 'web.yaml': deployment('web', { replicas: 2 }), 'svc.yaml': service('web') },
      { 'web.yaml': deployment('web', { replicas: 2, image: 'nginx:1.28' }) },
    )
    expect(rolling.disruptions).toEqual([])
  })
})

describe('deletions are loud', () => {
  it('a namespace takes all that is in it along', async () => {
    const plan = await planOf(
      {
        'stays.yaml': configMap('stays', '1'),
        'ns.yaml': namespace('data'),
        'apps.yaml': child('shop', {
          more: { destination: { server: 'https://kubernetes.default.svc', namespace: 'data' } },
        }),
        'shop/map.yaml': configMap('map', '1'),
        'claim.yaml': placed(
          manifest({
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'disk' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          }),
          'data',
        ),
      },
      { 'ns.yaml': undefined, 'apps.yaml': undefined, 'claim.yaml': undefined },
    )
    expect(plan.warnings).toEqual([
      'Application shop is deleted: 1 object with it',
      'Namespace data is deleted, and all that is in it: 2 objects of Applications, 1 PersistentVolumeClaim and their data',
      'PersistentVolumeClaim data/disk is deleted, and its data with it',
    ])
    expect(objectsIn(plan)).toContain('removed Namespace data')
  })

  it('an Application without a finalizer leaves its objects behind, one with it takes them along', async () => {
    const files = { 'a/map.yaml': configMap('a', '1'), 'b/map.yaml': configMap('b', '1') }
    const plan = await planOf(
      {
        'stays.yaml': configMap('stays', '1'),
        'a.yaml': child('a'),
        'b.yaml': child('b', { finalizer: true }),
        ...files,
      },
      { 'a.yaml': undefined, 'b.yaml': undefined },
    )
    expect(plan.warnings).toEqual([
      'Application a is deleted: its objects stay, and belong to nobody',
      'Application b is deleted: 1 object with it',
    ])
    expect(objectsIn(plan)).toContain('kept ConfigMap shop/a')
    expect(objectsIn(plan)).toContain('removed ConfigMap shop/b')
  })

  it('most of an Application at once is named', async () => {
    const maps = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`m${n}.yaml`, configMap(`m${n}`, '1')]))
    const gone = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`m${n}.yaml`, undefined]))
    const { warnings } = await planOf(maps, gone)
    expect(warnings).toEqual([expect.stringMatching(/^Application .* loses 5 of its 6 objects$/)])
  })

  it('what another Application takes over is moved, not deleted', async () => {
    const map = configMap('map', '1')
    const stays = { 'a/stays.yaml': configMap('a', '1'), 'b/stays.yaml': configMap('b', '1') }
    const plan = await planOf(
      { 'a.yaml': child('a'), 'b.yaml': child('b'), ...stays, 'a/map.yaml': map },
      { 'a/map.yaml': undefined, 'b/map.yaml': map },
    )
    expect(objectsIn(plan)).toEqual(['moved ConfigMap shop/map', expect.stringMatching(/changed ConfigMap shop\/map$/)])
    expect(plan.counts).toMatchObject({ added: 0, removed: 0, moved: 1 })
  })

  it('what nothing prunes is left behind', async () => {
    const plan = await planOf(
      { 'apps.yaml': manual('man'), 'man/a.yaml': configMap('a', '1'), 'man/b.yaml': configMap('b', '1') },
      { 'man/a.yaml': configMap('a', '2'), 'man/b.yaml': undefined },
    )
    expect(objectsIn(plan)).toEqual(['changed ConfigMap shop/a', 'kept ConfigMap shop/b'])
  })
})

const manual = (name: string): string => child(name).replace(/"automated": \{[^}]*\},?/, '')

describe('applications of applications', () => {
  it('follow the commit that is planned, whatever branch they name', async () => {
    const follows = (revision: string): string => child('shop').replace('"HEAD"', `"${revision}"`)
    const plan = await planOf(
      { 'apps.yaml': follows('main'), 'shop/map.yaml': configMap('map', '1') },
      { 'apps.yaml': follows('not-fetched-here'), 'shop/map.yaml': configMap('map', '2') },
    )
    expect(objectsIn(plan)).toEqual(
      expect.arrayContaining(['changed ConfigMap shop/map', 'changed Application argocd/shop']),
    )
    expect(plan.inOrder).toBe(true)
  })

  it('only the branches that are named follow it', async () => {
    const repo = createRepository()
    repo.git('remote', 'add', 'origin', 'https://git.example.com/team/config.git')
    const prod = child('prod', { path: 'shop' }).replace('"HEAD"', '"production"')
    change(repo, { 'apps.yaml': prod, 'shop/map.yaml': configMap('map', '1') })
    repo.git('branch', 'production')
    change(repo, { 'shop/map.yaml': configMap('map', '2') })
    expect(JSON.parse((await runIn(repo.path, 'plan', '-o', 'json')).out)).toMatchObject({ changes: true })
    expect(await runIn(repo.path, 'plan', '--branch', 'main')).toMatchObject({ code: 0 })
    repo.remove()
  })

  it('other repositories are named, and used from a checkout', async () => {
    const other = createRepository()
    other.commit({ 'shop/map.yaml': configMap('map', '1') })
    const elsewhere = child('shop')
      .replace('git.example.com/team/config', 'git.example.com/team/other')
      .replace('HEAD', 'trunk')
    const repo = twoCommits({ 'apps.yaml': elsewhere }, { 'x.yaml': configMap('x', '1') })
    const url = 'https://git.example.com/team/other.git'
    const refused = await runIn(repo.path, 'plan')
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringContaining(
        `${url} is not here, and nothing is fetched: give a checkout of it with --map ${url}=PATH`,
      ),
    ])
    const { code, out } = await runIn(repo.path, 'plan', '--allow-changes', '--map', `${url}=${other.path}`)
    expect([code, out]).toEqual([0, expect.stringContaining('+ ConfigMap default/x')])
    other.remove()
    repo.remove()
  })
})

describe('the command line', () => {
  it('the same input and seed print the same, byte for byte', async () => {
    const repo = twoCommits(
      { 'web.yaml': deployment('web', { replicas: 2 }), 'svc.yaml': service('web') },
      { 'web.yaml': deployment('web', { replicas: 4, image: 'nginx:1.28' }) },
    )
    const first = await runIn(repo.path, 'plan', '-o', 'json')
    expect(await runIn(repo.path, 'plan', '-o', 'json')).toEqual(first)
    repo.remove()
  })

  it('nothing of a repository steers the terminal or the CI that reads the log', async () => {
    const repo = twoCommits(
      { 'a.yaml': configMap('a', 'x') },
      { 'a.yaml': configMap('a', 'x\n::add-mask::x\n\u001b[2Jy') },
    )
    for (const format of ['table', 'markdown']) {
      const { out } = await runIn(repo.path, 'plan', '-o', format)
      expect(out).toContain('add-mask')
      expect(out).not.toMatch(/^\s*::/m)
      expect(out).not.toContain('\u001b')
    }
    repo.remove()
  })

  it('uncommitted files are planned with --worktree', async () => {
    const repo = twoCommits({ 'a.yaml': configMap('a', '1') }, {})
    repo.write({ 'a.yaml': configMap('a', '2') })
    expect((await runIn(repo.path, 'plan')).code).toBe(0)
    const { code, out } = await runIn(repo.path, 'plan', '--worktree', '--allow-changes')
    expect([code, out]).toEqual([0, expect.stringMatching(/the files on top of HEAD[\s\S]*data\.key: 1 → 2/)])
    repo.remove()
  })

  it('a folder that only one of the commits has is planned', async () => {
    const repo = twoCommits({ 'docs/README.md': '' }, { 'm/a.yaml': configMap('a', '1') })
    const { code, out } = await runIn(repo.path, 'plan', '--path', 'm', '--allow-changes', '--from', 'HEAD~1')
    expect([code, out]).toEqual([0, expect.stringContaining('+ ConfigMap')])
    repo.remove()
  })

  it.each(['plan', 'check'])('%s --worktree of a repository without files says what to do', async (command) => {
    const repo = twoCommits({ 'a.yaml': configMap('a', '1') }, { 'a.yaml': configMap('a', '2') })
    const bare = join(repo.path, 'bare.git')
    repo.git('clone', '-q', '--bare', '.', bare)
    const { code, out, err } = await runIn(bare, command, '--worktree')
    expect([code, out, err]).toEqual([
      3,
      '',
      expect.stringMatching(/bare repository.+leave --worktree out, or name a clone/),
    ])
    expect(
      (await runIn(bare, command, ...(command === 'plan' ? ['--from', 'HEAD~1', '--allow-changes'] : []))).code,
    ).toBe(0)
    repo.remove()
  })

  it('what is wrong ends with 2, what cannot be done with 3, in one line', async () => {
    const repo = twoCommits({ 'a.yaml': configMap('a', '1'), 'docs/README.md': '' }, {})
    const wrong: readonly (readonly [number, RegExp, readonly string[]])[] = [
      [2, /-o xml: use one of/, ['-o', 'xml']],
      [2, /--from is an empty text/, ['--from', '']],
      [2, /--to is an empty text/, ['--to=']],
      [2, /--branch is an empty text/, ['--branch', 'main', '--branch', '']],
      [2, /--timeout: soon is not a duration/, ['--timeout', 'soon']],
      [2, /--map x: give URL=PATH/, ['--map', 'x']],
      [2, /--worktree stands for the commit/, ['--worktree', '--to', 'HEAD']],
      [2, /--with: none\.yaml does not exist/, ['--with', 'none.yaml']],
      [2, /app path outside root/, ['--path', '../x']],
      [3, /unable to resolve 'v9'/, ['--from', 'v9']],
      [3, /there are no manifests in docs, in neither commit: folders below it are not read/, ['--path', 'docs']],
      [3, /--path none: app path does not exist, in neither commit: name a folder/, ['--path', 'none']],
    ]
    for (const [code, message, args] of wrong) {
      const ran = await runIn(repo.path, 'plan', ...args)
      expect([ran.code, ran.out], args.join(' ')).toEqual([code, ''])
      expect(ran.err.split('\n'), args.join(' ')).toEqual([expect.stringMatching(message)])
    }
    expect(await runIn('/', 'plan', '/nowhere')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no repository'),
    })
    expect(await runIn('/', 'plan', 'https://git.example.com/a/b')).toMatchObject({ code: 2 })
    repo.remove()
  })
})
