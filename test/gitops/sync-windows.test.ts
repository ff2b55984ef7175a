import { afterEach, describe, expect, test } from 'vitest'
import { AppProject, ConfigMap, Job, type SyncWindow } from '#kinds'
import { formatTime } from '#objects'
import { application, auto, configMap, job, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const merge = { type: 'application/merge-patch+json' } as const
const blocked = 'Sync operation blocked by sync window'

async function withWindows(files: Readonly<Record<string, string>>, ...syncWindows: readonly SyncWindow[]) {
  lab = await startLab({ files, instant: false })
  await lab.client.create(AppProject, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'prod', namespace: 'argocd' },
    spec: { ...open, syncWindows },
  })
}

const setWindows = (...syncWindows: readonly SyncWindow[]) =>
  lab.client.patch(AppProject, { namespace: 'argocd', name: 'prod' }, { spec: { syncWindows } }, merge)

const conditions = async (name: string) =>
  (await lab.app(name))?.status?.conditions?.map((each) => `${each.type}: ${each.message}`) ?? []
const operation = async (name: string) => (await lab.app(name))?.status?.operationState
/** A project that allows everything. */
const open = {
  sourceRepos: ['*'],
  destinations: [{ server: '*', namespace: '*' }],
  clusterResourceWhitelist: [{ group: '*', kind: '*' }],
}
const prod = { project: 'prod' }
const always: SyncWindow = { kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'] }

/** A schedule that comes up within two minutes. */
function soon(): { readonly schedule: string; readonly opensAt: number } {
  const opensAt = Math.ceil(lab.world.clock.now() / 60_000) * 60_000 + 60_000
  const at = new Date(opensAt)
  return { schedule: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`, opensAt }
}

describe('an automated sync', () => {
  test('waits for its window, says so, and begins when it opens', async () => {
    await withWindows({ 'web/a.yaml': configMap('a', '1') })
    const { schedule, opensAt } = soon()
    await setWindows({ kind: 'allow', schedule, duration: '1h', namespaces: ['sh*'] })
    await lab.create(application('web', lab.repo, { automated: auto, more: prod }))
    await lab.until(async () => (await conditions('web')).length > 0)
    expect((await lab.app('web'))?.status?.sync?.status).toBe('OutOfSync')
    const until = formatTime(opensAt)
    expect(await conditions('web')).toEqual([
      `SyncWindowWarning: Automated sync blocked by sync window allow:${schedule}:1h of project prod until ${until}`,
    ])
    await lab.world.advance(opensAt - 1000 - lab.world.clock.now())
    expect(await operation('web')).toBeUndefined()
    await lab.world.advance(2000)
    expect((await operation('web'))?.startedAt).toBe(until)
    await lab.settled('web')
    expect(await conditions('web')).toEqual([])
  })

  test('heals nothing while a deny window is open, and does when the window is taken away', async () => {
    await withWindows({ 'web/a.yaml': configMap('a', '1') })
    await lab.create(application('web', lab.repo, { automated: auto, more: prod }))
    await lab.settled('web')
    await setWindows(always)
    await lab.client.patch(ConfigMap, shop('a'), { data: { key: 'mine' } }, merge)
    await lab.until(async () => (await conditions('web'))[0]?.startsWith('SyncWindowWarning: ') === true)
    await lab.world.advance(600_000)
    expect((await lab.client.get(ConfigMap, shop('a'))).data).toEqual({ key: 'mine' })
    await setWindows()
    await lab.until(async () => (await lab.client.get(ConfigMap, shop('a'))).data?.['key'] === '1', 5000)
  })
})

describe('a sync that somebody asks for', () => {
  test('waits too, unless the window lets people sync', async () => {
    await withWindows({ 'web/a.yaml': configMap('a', '1') }, always)
    await lab.create(application('web', lab.repo, { more: prod }))
    await lab.sync('web')
    await lab.until(async () => (await operation('web'))?.message === blocked)
    await lab.world.advance(600_000)
    expect(await operation('web')).toMatchObject({ phase: 'Running', message: blocked })
    await setWindows({ ...always, manualSync: true })
    await lab.until(async () => (await operation('web'))?.phase === 'Succeeded', 5000)
  })

  test('can be stopped while it waits', async () => {
    await withWindows({ 'web/a.yaml': configMap('a', '1') }, always)
    await lab.create(application('web', lab.repo, { more: prod }))
    await lab.sync('web')
    await lab.until(async () => (await operation('web'))?.message === blocked)
    const terminating = { status: { operationState: { phase: 'Terminating' } } }
    await lab.patch('web', terminating)
    await lab.until(async () => (await operation('web'))?.phase === 'Failed', 5000)
    expect((await operation('web'))?.message).toBe('Operation terminated')
  })
})

describe('a sync that is under way when a deny window opens', () => {
  const hook = job('slow', { 'argocd.argoproj.io/hook': 'PreSync' }, 'sleep 90')

  /** Opens at the next full minute, for ten. */
  const begin = async (more: SyncWindow): Promise<number> => {
    await withWindows({ 'web/a.yaml': hook, 'web/b.yaml': configMap('late', '1') })
    const { schedule, opensAt } = soon()
    await setWindows({ ...always, schedule, duration: '10m', ...more })
    await lab.create(application('web', lab.repo, { automated: auto, more: prod }))
    await lab.until(async () => (await lab.find(Job, shop('slow'))) !== undefined)
    expect(lab.world.clock.now()).toBeLessThan(opensAt)
    return opensAt
  }

  test('stops where it is, and goes on when the window closes', async () => {
    const opensAt = await begin({})
    await lab.world.advance(opensAt + 599_000 - lab.world.clock.now())
    expect(await operation('web')).toMatchObject({ phase: 'Running', message: blocked })
    expect(await lab.find(ConfigMap, shop('late'))).toBeUndefined()
    await lab.until(async () => (await operation('web'))?.phase === 'Succeeded', 3000)
  })

  test('runs on if the window permits it', async () => {
    const opensAt = await begin({ syncOverrun: true })
    await lab.until(async () => (await operation('web'))?.phase === 'Succeeded')
    expect(lab.world.clock.now()).toBeGreaterThan(opensAt)
    expect(lab.world.clock.now()).toBeLessThan(opensAt + 600_000)
  })
})

test('a window that cannot be understood is told on the project and on its applications, which wait', async () => {
  const fault = "cannot parse schedule 'now': expected exactly 5 fields, found 1: [now]"
  await withWindows({ 'web/a.yaml': configMap('a', '1') }, { ...always, schedule: 'now' })
  await lab.create(application('web', lab.repo, { automated: auto, more: prod }))
  const of = { namespace: 'argocd', name: 'prod' }
  const told = async () => (await lab.client.get(AppProject, of)).status?.conditions?.map((each) => each.message) ?? []
  await lab.until(async () => (await told()).length > 0 && (await conditions('web')).length > 1)
  expect(await told()).toEqual([`spec.syncWindows[0]: ${fault}`])
  expect(await conditions('web')).toContain(
    `SyncError: invalid sync windows: ${fault} (spec.syncWindows[0] of AppProject prod)`,
  )
  await lab.sync('web')
  await lab.until(
    async () => (await operation('web'))?.message?.startsWith(`${blocked}: invalid sync windows: `) === true,
  )
  await setWindows()
  await lab.settled('web')
  expect([await told(), await conditions('web')]).toEqual([[], []])
})
