// What keeps the pods of a workload from running is told where the workload is waited for.

import { afterEach, expect, test } from 'vitest'
import { ConfigMap, type HealthStatus } from '#kinds'
import { application, auto, deployment, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

/** Pods that want a ConfigMap which is not there. */
const wanting = (kind: string, name: string): string => {
  const { spec, ...object } = JSON.parse(deployment(name))
  const [container] = spec.template.spec.containers
  const containers = [{ ...container, envFrom: [{ configMapRef: { name: 'late' } }] }]
  const template = { ...spec.template, spec: { containers } }
  return manifest({ ...object, kind, spec: { ...spec, template } })
}

const healthOf = async (name: string): Promise<HealthStatus | undefined> =>
  (await lab.app('web'))?.status?.resources?.find((each) => each.name === name)?.health

test('a workload that waits says which pod cannot run, and why, until it can', async () => {
  lab = await startLab({
    files: { 'web/web.yaml': wanting('Deployment', 'web'), 'web/store.yaml': wanting('StatefulSet', 'store') },
  })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.until(async () => (await healthOf('web'))?.message?.includes('Pod web-') === true)
  expect(await healthOf('web')).toEqual({
    status: 'Progressing',
    message: expect.stringMatching(/^Waiting for rollout to finish: .*\.\.\. Pod web-\S+: configmap "late" not found$/),
  })
  await lab.until(async () => (await healthOf('store'))?.message?.includes('Pod store-0: configmap "late"') === true)
  const metadata = { namespace: 'shop', name: 'late' }
  await lab.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} })
  await lab.settled('web')
  expect(await healthOf('web')).toEqual({ status: 'Healthy' })
})

test('what is told is that of its own pods alone, and of the first of several', async () => {
  const three = JSON.parse(wanting('Deployment', 'web'))
  lab = await startLab({
    files: {
      'web/web.yaml': manifest({ ...three, spec: { ...three.spec, replicas: 3 } }),
      'web/other.yaml': deployment('other', { image: 'registry.example.com/other:1' }),
    },
  })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.until(async () => (await healthOf('web'))?.message?.endsWith('not found (and 2 more)') === true)
  await lab.until(async () => (await healthOf('other'))?.status === 'Healthy')
  expect(await healthOf('other')).toEqual({ status: 'Healthy' })
})
