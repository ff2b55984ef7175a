// Applications that are kept at a revision for a while.

import { afterEach, expect, test } from 'vitest'
import { ConfigMap } from '#kinds'
import { formatTime } from '#objects'
import { application, auto, configMap, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const ref = { namespace: 'shop', name: 'web' }
const value = async () => (await lab.find(ConfigMap, ref))?.data?.['key']
const annotate = (annotations: Readonly<Record<string, string | null>>) =>
  lab.patch('web', { metadata: { annotations } })
const told = async () => (await lab.app('web'))?.status?.conditions?.map(({ type, message }) => `${type}: ${message}`)

test('what is pinned goes back, is healed there, and follows git again when its time is over', async () => {
  lab = await startLab({ files: { 'web/web.yaml': configMap('web', 'good') } })
  const good = lab.repo.git('rev-parse', 'HEAD').trim()
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.settled('web')
  await lab.commit({ 'web/web.yaml': configMap('web', 'bad') })
  await lab.until(async () => (await value()) === 'bad')
  const until = lab.world.clock.now() + 600_000
  await annotate({ 'homeostat.dev/pin': good, 'homeostat.dev/pin-until': formatTime(until) })
  await lab.until(async () => (await value()) === 'good')
  const app = await lab.settled('web')
  expect(app.status?.sync?.revision).toBe(good)
  expect(await told()).toEqual([`PinnedWarning: kept at revision ${good} until ${formatTime(until)}`])
  await lab.client.patch(ConfigMap, ref, { data: { key: 'edited' } }, { type: 'application/merge-patch+json' })
  await lab.until(async () => (await value()) === 'good')
  await lab.commit({ 'web/web.yaml': configMap('web', 'better') })
  await lab.world.advance(60_000)
  expect(await value()).toBe('good')
  await lab.until(async () => (await value()) === 'better', 600_000)
  expect(lab.world.clock.now()).toBeGreaterThanOrEqual(until - 1000)
  expect(await told()).toBeUndefined()
})

test('a pin without an end holds until it is taken away', async () => {
  lab = await startLab({ files: { 'web/web.yaml': configMap('web', 'good') } })
  lab.repo.git('tag', 'v1')
  await lab.create(application('web', lab.repo, { automated: auto }))
  await annotate({ 'homeostat.dev/pin': 'v1' })
  await lab.settled('web')
  await lab.commit({ 'web/web.yaml': configMap('web', 'new') })
  await lab.world.advance(600_000)
  expect(await value()).toBe('good')
  await annotate({ 'homeostat.dev/pin': null })
  await lab.until(async () => (await value()) === 'new')
})

test.each([
  [{ 'homeostat.dev/pin': 'v1', 'homeostat.dev/pin-until': 'tomorrow' }, /pin-until: tomorrow is no time such as/],
  [{ 'homeostat.dev/pin': 'v1, v2' }, /pin must name one revision: it is not pinned/],
])('what cannot be understood is told, and git is followed: %j', async (annotations, message) => {
  lab = await startLab({ files: { 'web/web.yaml': configMap('web', 'good') } })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await annotate(annotations)
  await lab.until(async () => message.test((await told())?.join() ?? ''))
  await lab.commit({ 'web/web.yaml': configMap('web', 'new') })
  await lab.until(async () => (await value()) === 'new')
})
