// What people do with `kubectl auth`, and with `--as`, done with the real one against a daemon that keeps an audit log.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasKubectl, kubectlFor } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

const audit = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: None, userGroups: ["system:serviceaccounts", "system:nodes"]}, {level: Metadata}]
`

describe.skipIf(!hasKubectl)('kubectl auth', () => {
  let cluster: KubectlCluster
  let folder: KubectlCluster['folder']
  let kubectl: KubectlCluster['kubectl']
  let ok: KubectlCluster['ok']

  beforeAll(async () => {
    cluster = await startKubectlCluster((folder) => {
      writeFileSync(join(folder, 'audit.yaml'), audit)
      return ['--audit-log', join(folder, 'audit.log'), '--audit-policy', join(folder, 'audit.yaml')]
    })
    ;({ folder, kubectl, ok } = cluster)
    await ok('create namespace team')
    await ok('create rolebinding ann-edits -n team --clusterrole=edit --user=ann')
  })
  afterAll(async () => {
    await cluster?.stop()
  })

  it('whoami', async () => {
    const me = await ok('auth whoami')
    expect(me).toMatch(/^Username +kubernetes-admin$/m)
    expect(me).toMatch(/^Groups +\[system:masters system:authenticated\]$/m)
    const other = await ok('auth whoami --as=ann --as-group=devs --as-uid=u1')
    expect(other).toMatch(/^Username +ann$/m)
    expect(other).toMatch(/^UID +u1$/m)
    expect(other).toMatch(/^Groups +\[devs system:authenticated\]$/m)
  })

  it('can-i', async () => {
    expect((await kubectl('auth can-i create deployments -n team --as=ann')).stdout).toBe('yes\n')
    expect((await kubectl('auth can-i create deployments --as=ann')).stdout).toBe('no\n')
    expect((await kubectl('auth can-i get pods --subresource=log -n team --as=ann')).stdout).toBe('yes\n')
    expect((await kubectl('auth can-i create roles -n team --as=ann')).stdout).toBe('no\n')
    expect((await kubectl('auth can-i get /version --as=ann')).stdout).toBe('yes\n')
    expect((await kubectl('auth can-i * *')).stdout).toBe('yes\n')
    const account = 'system:serviceaccount:kube-system:deployment-controller'
    expect((await kubectl(`auth can-i update replicasets.apps -A --as=${account}`)).stdout).toBe('yes\n')
  })

  it('can-i --list', async () => {
    const list = await ok('auth can-i --list -n team --as=ann')
    expect(list).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs$/m)
    expect(list).toMatch(/^pods\/eviction +\[\] +\[\] +\[create\]$/m)
    expect(list).toMatch(/^selfsubjectreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]$/m)
    expect(list).toMatch(/^ +\[\/healthz\] +\[\] +\[get\]$/m)
    const all = await ok('auth can-i --list')
    expect(all).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m)
    expect(all).toMatch(/^ +\[\*\] +\[\] +\[\*\]$/m)
  })

  it('refuses in the words of Kubernetes', async () => {
    expect((await kubectl('get secrets --as=ann')).stderr).toBe(
      'Error from server (Forbidden): secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" in the namespace "default"\n',
    )
    expect((await kubectl('get pods --as=ann --as-group=system:masters')).code).toBe(0)
    const escalating = await kubectl('create rolebinding more -n team --clusterrole=cluster-admin --user=ann --as=ann')
    expect(escalating.stderr).toContain('User "ann" cannot create resource "rolebindings"')
  })

  it('reconcile brings roles and bindings up to what a file says, and no further', async () => {
    const file = join(folder, 'roles.yaml')
    const role = (verbs: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: readers, namespace: team}
rules: [{apiGroups: [""], resources: [pods], verbs: ${verbs}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: readers}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: bob}]
`
    writeFileSync(file, role('[get]'))
    expect(await ok(`auth reconcile -f ${file}`)).toContain('role.rbac.authorization.k8s.io/readers reconciled')
    expect((await kubectl('auth can-i list pods -n team --as=bob')).stdout).toBe('no\n')
    writeFileSync(file, role('[list]'))
    await ok(`auth reconcile -f ${file}`)
    expect((await kubectl('auth can-i list pods -n team --as=bob')).stdout).toBe('yes\n')
    expect((await kubectl('auth can-i get pods -n team --as=bob')).stdout).toBe('yes\n')
    await ok(`auth reconcile -f ${file} --remove-extra-permissions`)
    expect((await kubectl('auth can-i get pods -n team --as=bob')).stdout).toBe('no\n')
  })

  it('takes tokens of service accounts until they are gone', async () => {
    await ok('create serviceaccount robot -n team')
    await ok('create rolebinding robot-views -n team --clusterrole=view --serviceaccount=team:robot')
    const token = (await ok('create token robot -n team')).trim()
    const anonymous = kubectlFor(join(folder, 'robot.kubeconfig'))
    const config = JSON.parse(await ok('config view --raw -o json')) as { users: { user: unknown }[] }
    for (const entry of config.users) entry.user = { token }
    writeFileSync(join(folder, 'robot.kubeconfig'), JSON.stringify(config), { mode: 0o600 })
    expect((await anonymous('auth whoami')).stdout).toMatch(/^Username +system:serviceaccount:team:robot$/m)
    expect((await anonymous('get pods -n team')).code).toBe(0)
    expect((await anonymous('get pods')).stderr).toContain(
      'User "system:serviceaccount:team:robot" cannot list resource',
    )
    await ok('delete serviceaccount robot -n team')
    expect((await anonymous('get pods -n team')).stderr).toMatch(/Unauthorized|logged in/)
  })

  it('leaves an audit log behind', async () => {
    const lines = readFileSync(join(folder, 'audit.log'), 'utf8').trim().split('\n')
    const events = lines.map((line) => JSON.parse(line) as { verb: string; impersonatedUser?: { username: string } })
    expect(events).toContainEqual(
      expect.objectContaining({
        verb: 'create',
        stage: 'ResponseComplete',
        requestURI: expect.stringContaining('/namespaces/team/rolebindings'),
        user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
        objectRef: expect.objectContaining({ resource: 'rolebindings', namespace: 'team', name: 'ann-edits' }),
      }),
    )
    expect(events.some(({ impersonatedUser }) => impersonatedUser?.username === 'ann')).toBe(true)
  })
})
