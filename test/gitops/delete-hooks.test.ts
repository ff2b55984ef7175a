import { afterEach, describe, expect, test } from 'vitest'
import { Application, ConfigMap, Event, Job } from '#kinds'
import type { KubeObject } from '#objects'
import { application, auto, configMap, job, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const web = { namespace: 'argocd', name: 'web' }
const hook = (type: string, more: object = {}) => ({ 'argocd.argoproj.io/hook': type, ...more })
const policy = (text: string) => ({ 'argocd.argoproj.io/hook-delete-policy': text })
const wave = (number: number) => ({ 'argocd.argoproj.io/sync-wave': String(number) })
const ofPre = 'pre-delete-finalizer.argocd.argoproj.io'
const ofPost = 'post-delete-finalizer.argocd.argoproj.io'
const broken = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n'
const createdAt = (object: KubeObject | undefined): number => Date.parse(object?.metadata.creationTimestamp ?? '')

async function deployed(files: Readonly<Record<string, string>>, finalizer = true): Promise<void> {
  lab = await startLab({ files: { 'web/data.yaml': configMap('data', '1'), ...files }, instant: false })
  await lab.create(application('web', lab.repo, { automated: auto, finalizer }))
  await lab.settled('web')
}

const remove = () => lab.client.delete(Application, web)
const finalizers = async () => (await lab.app('web'))?.metadata.finalizers ?? []
const errors = async () =>
  (await lab.app('web'))?.status?.conditions?.flatMap((each) =>
    each.type === 'DeletionError' ? [each.message] : [],
  ) ?? []
const there = async (kind: typeof Job | typeof ConfigMap, name: string) =>
  (await lab.find<KubeObject>(kind, shop(name))) !== undefined
const isGone = async () => (await lab.app('web')) === undefined
const untilCreated = async (name: string): Promise<Job> => {
  await lab.until(() => there(Job, name))
  return lab.client.get(Job, shop(name))
}

describe('hooks of a deletion', () => {
  test('run before and after the objects go, wave by wave, and are tidied up', async () => {
    await deployed({
      'web/a.yaml': job('backup', hook('PreDelete'), 'sleep 20'),
      'web/b.yaml': job('bye', hook('PostDelete', policy('HookSucceeded')), 'sleep 20'),
      'web/c.yaml': job('last', hook('PostDelete', wave(1))),
    })
    expect(await finalizers()).toEqual([
      'resources-finalizer.argocd.argoproj.io',
      ofPre,
      `${ofPre}/cleanup`,
      ofPost,
      `${ofPost}/cleanup`,
    ])
    expect(await there(Job, 'backup')).toBe(false)
    await remove()
    await untilCreated('backup')
    await lab.world.advance(15_000)
    expect([await there(ConfigMap, 'data'), await there(Job, 'bye')]).toEqual([true, false])
    const bye = await untilCreated('bye')
    expect([await there(ConfigMap, 'data'), await there(Job, 'backup')]).toEqual([false, false])
    const last = await untilCreated('last')
    expect(createdAt(last) - createdAt(bye)).toBeGreaterThanOrEqual(20_000)
    await lab.until(isGone)
    expect([await there(Job, 'bye'), await there(Job, 'last')]).toEqual([false, true])
    expect((await lab.client.get(Job, shop('last'))).metadata.finalizers ?? []).toEqual([])
  })

  test('run too where the objects stay', async () => {
    await deployed(
      { 'web/a.yaml': job('backup', { 'helm.sh/hook': 'pre-delete', 'helm.sh/hook-delete-policy': 'hook-succeeded' }) },
      false,
    )
    await remove()
    await untilCreated('backup')
    await lab.until(isGone)
    expect([await there(ConfigMap, 'data'), await there(Job, 'backup')]).toEqual([true, false])
  })

  test('run once, though what they are is removed as soon as it has ended', async () => {
    const fleeting = JSON.parse(job('backup', hook('PreDelete')))
    fleeting.spec.ttlSecondsAfterFinished = 0
    await deployed({
      'web/a.yaml': JSON.stringify(fleeting),
      'web/b.yaml': job('long', hook('PreDelete'), 'sleep 60'),
      'web/c.yaml': job('bye', hook('PostDelete'), 'sleep 60'),
    })
    await remove()
    await untilCreated('backup')
    await untilCreated('bye')
    const made = async () =>
      (await lab.client.list(Event, { namespace: 'argocd' })).items.filter(
        ({ reason, message }) => reason === 'HookCreated' && message === 'created PreDelete hook Job shop/backup',
      )
    expect((await made()).map(({ count }) => count ?? 1)).toEqual([1])
  })

  test('are asked for by git: the finalizers come and go with them', async () => {
    await deployed({ 'web/a.yaml': job('backup', hook('PreDelete')) })
    await lab.remove('web/a.yaml')
    await lab.until(async () => (await finalizers()).length === 1)
    await lab.commit({ 'web/b.yaml': job('bye', hook('PostDelete')) })
    await lab.until(async () => (await finalizers()).length === 3)
    // What cannot be read may be the hook.
    await lab.commit({ 'web/b.yaml': broken })
    await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'Unknown')
    expect(await finalizers()).toContain(ofPost)
  })
})

describe('a hook that fails', () => {
  const failed =
    /^error executing pre-delete hooks: PreDelete hook\(s\) failed: shop\/backup \(.+\)\. It is tried again; to go on without these hooks, remove the finalizer pre-delete-finalizer\.argocd\.argoproj\.io$/

  test('is told, keeps the objects, and is tried again until git has a better one', async () => {
    await deployed({ 'web/a.yaml': job('backup', hook('PreDelete'), 'exit 1') })
    await remove()
    const firstTry = await untilCreated('backup')
    await lab.until(async () => failed.test((await errors())[0] ?? ''))
    await lab.until(async () => (await lab.find(Job, shop('backup')))?.metadata.uid !== firstTry.metadata.uid, 60_000)
    // Told all the while.
    expect((await errors())[0]).toMatch(failed)
    expect(await there(ConfigMap, 'data')).toBe(true)
    await lab.commit({ 'web/a.yaml': job('backup', hook('PreDelete')) })
    await lab.until(isGone)
    expect(await there(ConfigMap, 'data')).toBe(false)
  })

  test('can be given up on', async () => {
    await deployed({ 'web/a.yaml': job('backup', hook('PreDelete'), 'exit 1') })
    await remove()
    await lab.until(async () => failed.test((await errors())[0] ?? ''))
    const rest = (await finalizers()).filter((each) => each !== ofPre)
    await lab.patch('web', { metadata: { finalizers: rest } })
    await lab.until(isGone)
    expect([await there(ConfigMap, 'data'), await there(Job, 'backup')]).toEqual([false, false])
  })
})

test('an application whose cluster is unknown goes without further ado', async () => {
  lab = await startLab()
  const more = { destination: { server: 'https://elsewhere', namespace: 'shop' } }
  const app = application('web', lab.repo, { more })
  await lab.create({ ...app, metadata: { ...app.metadata, finalizers: [ofPre, ofPost, `${ofPost}/cleanup`] } })
  await remove()
  await lab.until(isGone, 5000)
})

test('a repository that cannot be rendered keeps the application, and says why', async () => {
  await deployed({ 'web/a.yaml': job('bye', hook('PostDelete')) })
  await lab.commit({ 'web/b.yaml': broken })
  await remove()
  await lab.until(async () => (await errors()).length > 0)
  expect((await errors())[0]).toMatch(
    /^error executing post-delete hooks: ComparisonError: Failed to load target state: web\/b\.yaml:\d+:\d+: .* remove the finalizer post-delete-finalizer\.argocd\.argoproj\.io$/,
  )
  expect(await there(ConfigMap, 'data')).toBe(false)
  await lab.remove('web/b.yaml')
  await lab.until(isGone)
  expect(await there(Job, 'bye')).toBe(true)
})
