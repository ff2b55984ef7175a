// Custom resources whose operator does not run here: they are not waited for, and judged as soon as somebody reports on them.

import { afterEach, expect, test } from 'vitest'
import { ConfigMap } from '#kinds'
import { application, auto, configMap, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const definition = manifest({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.cert-manager.io' },
  spec: {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { plural: 'certificates', singular: 'certificate', kind: 'Certificate', listKind: 'CertificateList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

const kind = {
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'Certificate',
  resource: 'certificates',
  namespaced: true,
}

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
      kind,
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
