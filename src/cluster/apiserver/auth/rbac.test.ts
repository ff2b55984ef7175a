import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '#store'
import type { AccessQuestion } from '../options.ts'
import { RoleAuthorizer } from './rbac.ts'

const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })

function store() {
  const made = createMemoryStore()
  const put = (resource: string, key: string, object: object) =>
    made.put(`${resource}.rbac.authorization.k8s.io`, key, 0, () => ({ value: object as never, attachment: undefined }))
  const named = (name: string, namespace?: string) => ({ metadata: { name, ...(namespace && { namespace }) } })
  put('roles', 'team/reader', {
    ...named('reader', 'team'),
    rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] }],
  })
  put('rolebindings', 'team/read', {
    ...named('read', 'team'),
    roleRef: roleRef('Role', 'reader'),
    subjects: [
      { kind: 'User', name: 'ann' },
      { kind: 'ServiceAccount', name: 'robot' },
    ],
  })
  put('rolebindings', 'team/lost', {
    ...named('lost', 'team'),
    roleRef: roleRef('ClusterRole', 'gone'),
    subjects: [{ kind: 'User', name: 'cid' }],
  })
  put('clusterroles', 'scaler', {
    ...named('scaler'),
    rules: [
      { verbs: ['*'], apiGroups: ['apps'], resources: ['*/scale'], resourceNames: ['web'] },
      { verbs: ['get'], nonResourceURLs: ['/metrics', '/logs/*'] },
    ],
  })
  put('clusterrolebindings', 'scale', {
    ...named('scale'),
    roleRef: roleRef('ClusterRole', 'scaler'),
    subjects: [{ kind: 'Group', name: 'ops' }],
  })
  return made
}

const ask = (user: string, groups: readonly string[], what: Omit<AccessQuestion, 'caller'>) =>
  new RoleAuthorizer(store()).decide({ caller: { user, groups: [...groups, 'system:authenticated'] }, ...what })

const byRole = 'RBAC: allowed by RoleBinding "read/team" of Role "reader" to'
const byGroup = 'RBAC: allowed by ClusterRoleBinding "scale" of ClusterRole "scaler" to Group "ops"'
const no = { allowed: false, reason: '' }
const robot = 'system:serviceaccount:team:robot'

describe('RBAC', () => {
  it.each([
    ['strangers nothing', 'bob', [], { verb: 'get', resource: 'pods', namespace: 'team' }, no],
    [
      'a user what a Role says',
      'ann',
      [],
      { verb: 'list', resource: 'pods', namespace: 'team' },
      { allowed: true, reason: `${byRole} User "ann"` },
    ],
    ['no other verb', 'ann', [], { verb: 'delete', resource: 'pods', namespace: 'team' }, no],
    ['no other namespace', 'ann', [], { verb: 'list', resource: 'pods', namespace: 'other' }, no],
    ['nothing of the cluster', 'ann', [], { verb: 'list', resource: 'pods' }, no],
    [
      'a service account of the namespace',
      robot,
      [],
      { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'team', name: 'x' },
      { allowed: true, reason: `${byRole} ServiceAccount "robot/team"` },
    ],
    [
      'a subresource of a named object',
      'dot',
      ['ops'],
      { verb: 'update', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'a', name: 'web' },
      { allowed: true, reason: byGroup },
    ],
    [
      'no other name',
      'dot',
      ['ops'],
      { verb: 'update', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'a', name: 'db' },
      no,
    ],
    ['a path below', 'dot', ['ops'], { verb: 'get', path: '/logs/kubelet' }, { allowed: true, reason: byGroup }],
    [
      'nothing by a role that is gone',
      'cid',
      [],
      { verb: 'get', resource: 'pods', namespace: 'team' },
      { allowed: false, reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found' },
    ],
  ] as const)('allows %s', (_, user, groups, what, expected) => {
    expect(ask(user, groups, what)).toEqual(expected)
  })

  it('lists the rules of a caller', () => {
    const { rules } = new RoleAuthorizer(store()).rulesFor({ user: 'ann', groups: [] }, 'team')
    expect(rules.at(-1)).toEqual({ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] })
  })
})
