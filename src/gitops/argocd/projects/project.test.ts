// What a project allows.
import { describe, expect, test } from 'vitest'
import type { AppProject } from '#kinds'
import { app } from '../../../../test/support/web-application.ts'
import { mayManage, mayRead, mayWrite, specFaults } from './project.ts'

describe('a project', () => {
  const project = (spec: AppProject['spec']): AppProject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'p' },
    spec,
  })
  const built = { server: 'https://kubernetes.default.svc', name: 'in-cluster' }

  test('allows repositories by glob and denies with !', () => {
    expect(mayRead(project({ sourceRepos: ['*'] }), 'https://x/y')).toBe(true)
    expect(mayRead(project({ sourceRepos: ['https://github.com/org/*'] }), 'https://github.com/org/repo')).toBe(true)
    expect(mayRead(project({ sourceRepos: ['https://github.com/org/repo.git'] }), 'git@github.com:org/repo')).toBe(true)
    expect(mayRead(project({ sourceRepos: ['*', '!https://x/*'] }), 'https://x/y')).toBe(false)
    expect(mayRead(project({}), 'https://x/y')).toBe(false)
  })

  test('allows destinations', () => {
    expect(
      mayWrite(project({ destinations: [{ server: '*', namespace: 'team-*' }] }), { ...built, namespace: 'team-a' }),
    ).toBe(true)
    expect(
      mayWrite(project({ destinations: [{ server: '*', namespace: 'team-*' }] }), { ...built, namespace: 'other' }),
    ).toBe(false)
    expect(
      mayWrite(project({ destinations: [{ name: 'in-cluster', namespace: '*' }] }), { ...built, namespace: 'x' }),
    ).toBe(true)
    expect(
      mayWrite(
        project({
          destinations: [
            { server: '*', namespace: '*' },
            { server: '*', namespace: '!kube-*' },
          ],
        }),
        { ...built, namespace: 'kube-system' },
      ),
    ).toBe(false)
  })

  test('allows kinds: cluster-scoped ones only when listed', () => {
    const role = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x', namespaced: false }
    const secret = { group: '', kind: 'Secret', name: 'x', namespaced: true }
    expect(mayManage(project({}), role)).toBe(false)
    expect(mayManage(project({ clusterResourceWhitelist: [{ group: '*', kind: '*' }] }), role)).toBe(true)
    expect(mayManage(project({}), secret)).toBe(true)
    expect(mayManage(project({ namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }] }), secret)).toBe(false)
    expect(mayManage(project({ namespaceResourceWhitelist: [{ group: 'apps', kind: '*' }] }), secret)).toBe(false)
  })

  test('that is not there is a fault', () => {
    expect(specFaults(app(), undefined, [])).toEqual([
      { type: 'InvalidSpecError', message: 'Application referencing project default which does not exist' },
    ])
  })
})
