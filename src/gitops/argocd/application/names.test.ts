// How applications are named on their objects.
import { expect, test } from 'vitest'
import { app } from '../../../../test/support/web-application.ts'
import { instanceName, keyOfInstance } from './names.ts'

test('applications outside of argocd are named by namespace', () => {
  expect(instanceName(app())).toBe('web')
  expect(instanceName({ ...app(), metadata: { name: 'web', namespace: 'team' } })).toBe('team_web')
  expect([keyOfInstance('web'), keyOfInstance('team_web')]).toEqual(['argocd/web', 'team/web'])
})
