// How applications are named on their objects.
import { expect, test } from 'vitest'
import type { Application } from '#kinds'
import { instanceName, keyOfInstance } from './names.ts'

function app(more: { readonly spec?: object; readonly status?: object } = {}): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'web', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: 'r', path: 'p' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      ...more.spec,
    },
    ...(more.status === undefined ? {} : { status: more.status }),
  }
}

test('applications outside of argocd are named by namespace', () => {
  expect(instanceName(app())).toBe('web')
  expect(instanceName({ ...app(), metadata: { name: 'web', namespace: 'team' } })).toBe('team_web')
  expect([keyOfInstance('web'), keyOfInstance('team_web')]).toEqual(['argocd/web', 'team/web'])
})
