// What a sync writes may let in what it writes behind it: the dry run that comes before everything else does not stand in the way.

import { afterEach, expect, test } from 'vitest'
import { ConfigMap, ResourceQuota } from '#kinds'
import { application, auto, configMap, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

/** Of ConfigMaps, beside the one that every namespace has. */
const quota = (most: number): string =>
  manifest({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'few' },
    spec: { hard: { 'count/configmaps': String(most + 1) } },
  })

const operation = async () => (await lab.app('web'))?.status?.operationState

async function withQuotaOfOne(): Promise<void> {
  lab = await startLab({ files: { 'web/quota.yaml': quota(1), 'web/a.yaml': configMap('a', '1') } })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.settled('web')
  const ref = { namespace: 'shop', name: 'few' }
  await lab.until(async () => (await lab.find(ResourceQuota, ref))?.status?.used?.['count/configmaps'] === '2')
}

test('a quota is raised together with what needs it', async () => {
  await withQuotaOfOne()
  await lab.commit({ 'web/quota.yaml': quota(2), 'web/b.yaml': configMap('b', '1') })
  await lab.until(async () => (await lab.find(ConfigMap, { namespace: 'shop', name: 'b' })) !== undefined)
  await lab.settled('web')
})

test('where the quota stays as it is, nothing is written', async () => {
  await withQuotaOfOne()
  await lab.commit({ 'web/a.yaml': configMap('a', '2'), 'web/b.yaml': configMap('b', '1') })
  await lab.until(async () => /dry run.*exceeded quota: few/s.test((await operation())?.message ?? ''))
  expect((await lab.client.get(ConfigMap, { namespace: 'shop', name: 'a' })).data).toEqual({ key: '1' })
})
