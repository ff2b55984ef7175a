// Custom resources whose operator does not run here: they are not waited for, and judged as soon as somebody reports on them.

import { afterEach, expect, test } from 'vitest'
import { ConfigMap } from '#kinds'
import { customKind, definitionOf } from '../support/custom-kinds.ts'
import { application, auto, configMap, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const Certificate = customKind('Certificate', 'cert-manager.io')
const definition = manifest(definitionOf(Certificate, { versions: [{ subresources: { status: {} } }] }))

test('a custom resource that nobody reports on holds up no wave; what is reported counts', async () => {
  lab = await startLab({
    files: {
      'web/a.yaml': definition,
      'web/b.yaml': manifest({ apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { name: 'tls' } }),
      'web/c.yaml': configMap('later', '1', { 'argocd.argoproj.io/sync-wave': '1' }),
    },
  })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.settled('web')
  const health = async () => {
    const app = await lab.app('web')
    return app?.status?.resources?.find((each) => each.kind === 'Certificate')?.health
  }
  expect(await health()).toEqual({ status: 'Healthy', message: 'no controller in this cluster reports on it' })
  expect(await lab.find(ConfigMap, { namespace: 'shop', name: 'later' })).toBeDefined()

  const report = (status: string, message: string) =>
    lab.client.patch(
      Certificate,
      { namespace: 'shop', name: 'tls' },
      { status: { conditions: [{ type: 'Ready', status, message }] } },
      { type: 'application/merge-patch+json', subresource: 'status' },
    )
  await report('False', 'no such issuer')
  await lab.until(async () => (await lab.app('web'))?.status?.health?.status === 'Degraded')
  expect(await health()).toEqual({ status: 'Degraded', message: 'no such issuer' })
  await report('True', 'issued')
  await lab.settled('web')
  expect(await health()).toEqual({ status: 'Healthy', message: 'issued' })
})
