// Applications that wait for others: `DependsOn=NAME` among their sync options.

import { afterEach, expect, test } from 'vitest'
import { ConfigMap } from '#kinds'
import { application, auto, configMap, deployment, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const waitingFor = (...names: readonly string[]) => ({
  automated: auto,
  syncOptions: ['CreateNamespace=true', ...names.map((name) => `DependsOn=${name}`)],
})
const status = async (name: string) => (await lab.app(name))?.status
const conditions = async (name: string): Promise<readonly string[]> =>
  ((await status(name))?.conditions ?? []).map(({ type, message }) => `${type}: ${message}`)
const value = async (name: string) => (await lab.find(ConfigMap, { namespace: 'shop', name }))?.data?.['key']

test('one is synced when those that it depends on are in sync and healthy, and says for whom it waits', async () => {
  lab = await startLab({
    files: {
      'db/db.yaml': deployment('db', { image: 'registry.invalid/nope' }),
      'web/web.yaml': configMap('web', '1'),
    },
  })
  await lab.create(application('web', lab.repo, waitingFor('db')))
  const told = async (what: string) =>
    (await conditions('web')).includes(`DependencyWarning: Automated sync is waiting for application db, which ${what}`)
  await lab.until(() => told('does not exist'))
  await lab.create(application('db', lab.repo, { automated: auto }))
  await lab.until(() => told('is Progressing'))
  await lab.world.advance(60_000)
  expect(await value('web')).toBeUndefined()
  await lab.commit({ 'db/db.yaml': deployment('db') })
  await lab.settled('web')
  expect(await value('web')).toBe('1')
  expect(await conditions('web')).toEqual([])
})

test.each([1, 2, 3, 4])(
  'a commit that concerns both goes to them first, whoever looks first (seed %i)',
  async (seed) => {
    const at = (version: string) => ({
      'db/db.yaml': configMap('db', version),
      'web/web.yaml': configMap('web', version),
    })
    let wrong = false
    lab = await startLab({
      seed,
      files: at('1'),
      wrap: (next) => async (request, signal) => {
        const isWeb = request.verb === 'patch' && request.name === 'web' && request.resource?.resource === 'configmaps'
        const isWrite = isWeb && request.query?.['dryRun'] === undefined
        if (isWrite && request.namespace === 'shop') wrong ||= (await value('db')) !== version
        return next(request, signal)
      },
    })
    let version = '1'
    await lab.create(application('db', lab.repo, { automated: auto }))
    await lab.create(application('web', lab.repo, waitingFor('db')))
    await lab.settled('web')
    for (version of ['2', '3']) {
      await lab.commit(at(version))
      await lab.until(async () => (await value('web')) === version)
      expect(await value('db')).toBe(version)
    }
    expect(wrong).toBe(false)
  },
)

test('a sync that somebody asks for waits too, and can be ended; a dry run does not wait', async () => {
  lab = await startLab({ files: { 'web/web.yaml': configMap('web', '1') } })
  const { automated: _, ...byHand } = waitingFor('db', 'queue')
  await lab.create(application('web', lab.repo, byHand))
  await lab.until(async () => (await status('web'))?.sync?.status === 'OutOfSync')
  await lab.sync('web', { sync: { dryRun: true } })
  await lab.until(async () => (await status('web'))?.operationState?.phase === 'Succeeded')
  await lab.sync('web')
  const message = 'waiting for application db, which does not exist, and 1 more'
  await lab.until(async () => (await status('web'))?.operationState?.message === message)
  await lab.patch('web', { status: { operationState: { phase: 'Terminating' } } })
  await lab.until(async () => (await status('web'))?.operationState?.phase === 'Failed')
  expect(await value('web')).toBeUndefined()
})

test('an option that names nobody says what is missing', async () => {
  lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
  await lab.create(application('web', lab.repo, { automated: auto, syncOptions: ['DependsOn='] }))
  const messages = async () => (await lab.app('web'))?.status?.conditions?.map(({ message }) => message) ?? []
  await lab.until(async () => (await messages()).some((message) => message.includes('"" (DependsOn= must name one)')))
})

test('those that wait for one another say so', async () => {
  lab = await startLab({ files: { 'a/a.yaml': configMap('a', '1'), 'b/b.yaml': configMap('b', '1') } })
  await lab.create(application('a', lab.repo, waitingFor('b')))
  await lab.create(application('b', lab.repo, waitingFor('a')))
  await lab.until(async () => (await conditions('a')).some((text) => text.startsWith('SyncError')))
  expect((await conditions('a')).join()).toMatch(/leads in a circle: a → b → a\. Take it away from one of them/)
  await lab.patch('b', { spec: { syncPolicy: { syncOptions: ['CreateNamespace=true'] } } })
  await lab.settled('a')
  expect(await conditions('a')).toEqual([])
})
