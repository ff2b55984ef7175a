// Who may do what, and in which words he is refused.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '#client'
import {
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Lease,
  LocalSubjectAccessReview,
  Namespace,
  Node,
  Pod,
  type PolicyRule,
  Role,
  RoleBinding,
  Secret,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  ServiceAccount,
  SubjectAccessReview,
  TokenReview,
} from '#kinds'
import type { AnyObject } from '#objects'
import { requestPem } from '../support/certificates.ts'
import { startServer, type TestServer } from './server.ts'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const apiGroup = 'rbac.authorization.k8s.io'
const readPods: PolicyRule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }
const ann = { apiGroup, kind: 'User', name: 'ann' }
const asAnn = 'User "ann" cannot'

const certificateRequest = btoa(requestPem)

let server: TestServer
let admin: Client

beforeEach(async () => {
  server = startServer()
  admin = server.client
  await admin.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' }, spec: {} })
})

const role = (name: string, rules: readonly PolicyRule[]): Role => ({
  apiVersion,
  kind: 'Role',
  metadata: { name, namespace: 'team' },
  rules,
})
const clusterRole = (name: string, rules: readonly PolicyRule[]): ClusterRole => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
})
const binding = (name: string, kind: 'Role' | 'ClusterRole', to: string, user = 'ann'): RoleBinding => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { name, namespace: 'team' },
  roleRef: { apiGroup, kind, name: to },
  subjects: [{ ...ann, name: user }],
})
const clusterBinding = (name: string, user = 'ann'): ClusterRoleBinding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup, kind: 'ClusterRole', name },
  subjects: [{ ...ann, name: user }],
})

async function grant(rules: readonly PolicyRule[], user = 'ann', name = 'own'): Promise<void> {
  await admin.create(Role, role(name, rules))
  await admin.create(RoleBinding, binding(name, 'Role', name, user))
}

/** The text of a refusal; fails when there is none. */
async function refusal(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'it was allowed',
    (error: Error) => error.message,
  )
}

describe('requests', () => {
  it('are refused by verb, resource, group, place and name', async () => {
    const me = server.as('ann')
    expect(await refusal(me.list(Pod, { namespace: 'team' }))).toBe(
      `pods is forbidden: ${asAnn} list resource "pods" in API group "" in the namespace "team"`,
    )
    expect(await refusal(me.get(Node, { name: 'a' }))).toBe(
      `nodes "a" is forbidden: ${asAnn} get resource "nodes" in API group "" at the cluster scope`,
    )
    expect(await refusal(me.createSubresource(Pod, { namespace: 'team', name: 'p' }, 'eviction', {}))).toBe(
      `pods "p" is forbidden: ${asAnn} create resource "pods/eviction" in API group "" in the namespace "team"`,
    )
    expect(await refusal(me.get(Namespace, { name: 'team' }))).toBe(
      `namespaces "team" is forbidden: ${asAnn} get resource "namespaces" in API group "" in the namespace "team"`,
    )
    expect(await refusal(me.request({ verb: 'create', path: '/metrics' }))).toBe(
      'forbidden: User "ann" cannot post path "/metrics"',
    )
  })

  it('for one name may be lists and watches of that name', async () => {
    await grant([{ ...readPods, resourceNames: ['mine'] }])
    const me = server.as('ann')
    const fieldSelector = 'metadata.name=mine'
    expect((await me.list(Pod, { namespace: 'team', fieldSelector })).items).toEqual([])
    expect(await refusal(me.list(Pod, { namespace: 'team' }))).toContain('pods is forbidden')
    expect(await refusal(me.list(Pod, { namespace: 'team', fieldSelector: 'metadata.name=other' }))).toContain(
      'pods "other" is forbidden',
    )
    expect(await refusal(me.list(Pod, { namespace: 'team', fieldSelector: 'metadata.name!=mine' }))).toContain(
      'pods is forbidden',
    )
  })

  it('are allowed as soon as a binding is there, and no longer than it is', async () => {
    const me = server.as('ann')
    await grant([readPods])
    expect((await me.list(Pod, { namespace: 'team' })).items).toEqual([])
    await admin.delete(RoleBinding, { namespace: 'team', name: 'own' })
    expect(await refusal(me.list(Pod, { namespace: 'team' }))).toContain('forbidden')
  })

  it('say what role is missing', async () => {
    await admin.create(RoleBinding, binding('lost', 'ClusterRole', 'gone'))
    expect(await refusal(server.as('ann').list(Pod, { namespace: 'team' }))).toBe(
      `pods is forbidden: ${asAnn} list resource "pods" in API group "" in the namespace "team": RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found`,
    )
  })
})

describe('nobody hands on more than he has', () => {
  const writeRoles: PolicyRule = {
    verbs: ['create', 'update', 'patch'],
    apiGroups: [apiGroup],
    resources: ['roles', 'rolebindings', 'clusterroles'],
  }
  const attempt =
    'user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:'

  it('in roles', async () => {
    await grant([writeRoles, readPods])
    const me = server.as('ann')
    await me.create(Role, role('readers', [{ ...readPods, verbs: ['list', 'get'] }]))
    const wider: readonly PolicyRule[] = [
      { verbs: ['get', 'delete', 'create'], apiGroups: [''], resources: ['pods', 'secrets'] },
      { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'] },
    ]
    expect(await refusal(me.create(Role, role('wider', wider)))).toBe(
      [
        `roles.rbac.authorization.k8s.io "wider" is forbidden: ${attempt}`,
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete" "create"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["get"]}',
      ].join('\n'),
    )
    const rules = [{ verbs: ['*'], apiGroups: [''], resources: ['pods'] }]
    const patch = me.patch(
      Role,
      { namespace: 'team', name: 'readers' },
      { rules },
      { type: 'application/merge-patch+json' },
    )
    expect(await refusal(patch)).toBe(
      `roles.rbac.authorization.k8s.io "readers" is forbidden: ${attempt}\n{APIGroups:[""], Resources:["pods"], Verbs:["*"]}`,
    )
  })

  it('unless he may escalate', async () => {
    await grant([writeRoles, { verbs: ['escalate'], apiGroups: [apiGroup], resources: ['roles'] }])
    expect((await server.as('ann').create(Role, role('all', [readPods]))).metadata.name).toBe('all')
  })

  it('in bindings, unless he may bind that role', async () => {
    await grant([writeRoles])
    const me = server.as('ann')
    expect(await refusal(me.create(RoleBinding, binding('b', 'ClusterRole', 'nothing', 'bob')))).toBe(
      'clusterroles.rbac.authorization.k8s.io "nothing" not found',
    )
    expect(await refusal(me.create(RoleBinding, binding('b', 'ClusterRole', 'system:kube-dns', 'bob')))).toBe(
      `rolebindings.rbac.authorization.k8s.io "b" is forbidden: ${attempt}\n{APIGroups:[""], Resources:["endpoints"], Verbs:["list" "watch"]}\n{APIGroups:[""], Resources:["services"], Verbs:["list" "watch"]}`,
    )
    const mayBind = { verbs: ['bind'], apiGroups: [apiGroup], resources: ['clusterroles'] }
    await grant([{ ...mayBind, resourceNames: ['system:kube-dns'] }], 'ann', 'binder')
    expect((await me.create(RoleBinding, binding('b', 'ClusterRole', 'system:kube-dns', 'bob'))).metadata.name).toBe(
      'b',
    )
  })

  it('nor gathers roles that are still to come', async () => {
    const name = 'role-writer'
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }
    await admin.create(ClusterRole, clusterRole(name, [all]))
    await admin.create(ClusterRoleBinding, clusterBinding(name))
    // Paths are missing to be everything; `*` of verbs counts as `escalate`, so it is taken away.
    const few = { ...all, verbs: ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete'] }
    await admin.patch(ClusterRole, { name }, { rules: [few] }, { type: 'application/merge-patch+json' })
    const gathering = {
      ...clusterRole('gathering', []),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    }
    expect(await refusal(server.as('ann').create(ClusterRole, gathering))).toBe(
      'clusterroles.rbac.authorization.k8s.io "gathering" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    )
  })
})

describe('reviews', () => {
  const review = <T>(kind: string, spec: object): T =>
    ({ apiVersion: 'authorization.k8s.io/v1', kind, metadata: {}, spec }) as T
  const statusOf = (object: unknown): unknown => (object as AnyObject)['status']

  it('tell what somebody may do, and by what', async () => {
    await grant([readPods])
    const attributes = { namespace: 'team', verb: 'list', resource: 'pods' }
    const asked = review<SubjectAccessReview>('SubjectAccessReview', { user: 'ann', resourceAttributes: attributes })
    const reason = 'RBAC: allowed by RoleBinding "own/team" of Role "own" to User "ann"'
    expect(statusOf(await admin.create(SubjectAccessReview, asked))).toEqual({ allowed: true, reason })
    const local = review<LocalSubjectAccessReview>('LocalSubjectAccessReview', asked.spec)
    const placed = { ...local, metadata: { namespace: 'team' } }
    expect(statusOf(await admin.create(LocalSubjectAccessReview, placed))).toEqual({ allowed: true, reason })
    const elsewhere = review<SubjectAccessReview>('SubjectAccessReview', {
      user: 'ann',
      resourceAttributes: { ...attributes, namespace: 'default' },
    })
    expect(statusOf(await admin.create(SubjectAccessReview, elsewhere))).toEqual({ allowed: false })
  })

  it('refuse questions that are none', async () => {
    const attributes = { namespace: 'team', verb: 'list', resource: 'pods' }
    const ask = (spec: object, metadata: object = {}) =>
      admin.create(SubjectAccessReview, { ...review<SubjectAccessReview>('SubjectAccessReview', spec), metadata })
    const asking = (selectors: object) => ({ user: 'ann', resourceAttributes: { ...attributes, ...selectors } })
    const refused = (why: string) => `.authorization.k8s.io "" is invalid: ${why}`
    const selector = 'spec.resourceAttributes.labelSelector'
    expect(await refusal(ask(asking({}), { name: 'a' }))).toBe(
      refused('metadata: Invalid value: {"name":"a"}: must be empty'),
    )
    expect(await refusal(ask(asking({ labelSelector: {} })))).toBe(
      refused(
        `${selector}.requirements: Required value: when ${selector} is specified, requirements or rawSelector is required`,
      ),
    )
    const taken = { requirements: [{ key: 'a', operator: 'Exists', values: ['b'] }] }
    expect(await refusal(ask(asking({ fieldSelector: taken, labelSelector: taken })))).toBe(
      refused(
        `[${['field', 'label'].map((kind) => `spec.resourceAttributes.${kind}Selector.requirements[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`).join(', ')}]`,
      ),
    )
    const unknown = {
      requirements: [
        { key: 'a', operator: 'Like' },
        { key: 'a', operator: 'Exists' },
      ],
    }
    const answered = await ask(asking({ fieldSelector: { rawSelector: 'a' }, labelSelector: unknown }))
    expect(statusOf(answered)).toEqual({
      allowed: false,
      evaluationError:
        'spec.resourceAttributes.fieldSelector ignored due to parse error; ' +
        `${selector} partially ignored due to parse error`,
    })
    const rules = review<SelfSubjectRulesReview>('SelfSubjectRulesReview', {})
    expect(await refusal(admin.create(SelfSubjectRulesReview, rules))).toBe('no namespace on request')
  })

  it('list the rules of the caller', async () => {
    await grant([readPods])
    const asked = review<SelfSubjectRulesReview>('SelfSubjectRulesReview', { namespace: 'team' })
    const status = statusOf(await server.as('ann').create(SelfSubjectRulesReview, asked)) as {
      resourceRules: unknown[]
      nonResourceRules: unknown[]
      incomplete: boolean
    }
    expect(status.incomplete).toBe(false)
    expect(status.resourceRules).toContainEqual(readPods)
    expect(status.resourceRules).toContainEqual({
      verbs: ['create'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['selfsubjectreviews'],
    })
    expect(status.nonResourceRules).toContainEqual({
      verbs: ['get'],
      nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
    })
    const ofAdmin = statusOf(await server.as('root', 'system:masters').create(SelfSubjectRulesReview, asked))
    expect(ofAdmin).toMatchObject({ nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }, {}, {}] })
  })

  it('tell who one is', async () => {
    const me = server.as('ann').as({ uid: 'u1', extra: { from: ['here'] } })
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} }
    expect(statusOf(await me.create(SelfSubjectReview, asked as SelfSubjectReview))).toEqual({
      userInfo: { username: 'ann', uid: 'u1', groups: ['system:authenticated'], extra: { from: ['here'] } },
    })
  })

  it('certificate requests say who asks, whatever they claim', async () => {
    const ask = { verbs: ['create'], apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'] }
    await admin.create(ClusterRole, clusterRole('asks', [ask]))
    await admin.create(ClusterRoleBinding, clusterBinding('asks'))
    const me = server.as('ann').as({ uid: 'u1', extra: { from: ['here'] } })
    const made = await me.create(CertificateSigningRequest, {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'mine' },
      spec: { request: certificateRequest, signerName: 'example.com/s', usages: ['client auth'], username: 'root' },
    })
    expect(made.spec).toMatchObject({ username: 'ann', uid: 'u1', extra: { from: ['here'] } })
  })
})

describe('tokens of service accounts', () => {
  const tokenFor = async (spec: object): Promise<string> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec }
    const answer = await admin.createSubresource(ServiceAccount, { namespace: 'team', name: 'robot' }, 'token', body)
    return (answer['status'] as { token: string }).token
  }
  const reviewOf = async (token: string, audiences?: readonly string[]): Promise<unknown> => {
    const asked = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token, audiences },
    }
    return ((await admin.create(TokenReview, asked as unknown as TokenReview)) as unknown as AnyObject)['status']
  }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'team' },
    spec: { serviceAccountName: 'robot', containers: [{ name: 'a', image: 'a' }] },
  }

  beforeEach(async () => {
    const metadata = { name: 'robot', namespace: 'team' }
    await admin.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  })

  it('say who they are of, and end in the time of the world', async () => {
    const token = await tokenFor({ expirationSeconds: 600 })
    expect(server.verifyToken(token)).toMatchObject({
      user: 'system:serviceaccount:team:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
    })
    await server.world.advance(600_000 + 59_000)
    expect(server.verifyToken(token)).toBeDefined()
    await server.world.advance(2_000)
    expect(server.verifyToken(token)).toBeUndefined()
    expect(await reviewOf(token)).toEqual({ user: {}, error: 'invalid bearer token' })
  })

  it('for others are not for this server', async () => {
    const token = await tokenFor({ audiences: ['vault'] })
    expect(server.verifyToken(token)).toBeUndefined()
    expect(await reviewOf(token, ['vault'])).toMatchObject({ authenticated: true, audiences: ['vault'] })
    expect(await reviewOf(token)).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]]',
    })
  })

  it('end with the account, and with the pod that they are bound to', async () => {
    const { metadata } = await admin.create(Pod, pod as Pod)
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: metadata.uid }
    const [free, bound] = [await tokenFor({}), await tokenFor({ boundObjectRef })]
    expect(server.verifyToken(bound)?.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': [metadata.uid],
    })
    await admin.delete(Pod, { namespace: 'team', name: 'p' }, { gracePeriodSeconds: 0 })
    expect(server.verifyToken(bound)).toBeUndefined()
    expect(server.verifyToken(free)).toBeDefined()
    await admin.delete(ServiceAccount, { namespace: 'team', name: 'robot' })
    expect(server.verifyToken(free)).toBeUndefined()
  })
})

describe('a kubelet', () => {
  const me = (): Client => server.as('system:node:a', 'system:nodes')
  const noRelation = "no relationship found between node 'a' and this object"

  it('reads what its pods refer to, and nothing else', async () => {
    const metadata = { namespace: 'team' }
    for (const name of ['mine', 'other'])
      await admin.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name } })
    await admin.create(ServiceAccount, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...metadata, name: 'default' },
    })
    await admin.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'p' },
      spec: {
        nodeName: 'a',
        volumes: [{ name: 's', secret: { secretName: 'mine' } }],
        containers: [{ name: 'a', image: 'a' }],
      },
    } as Pod)
    expect((await me().get(Secret, { namespace: 'team', name: 'mine' })).metadata.name).toBe('mine')
    expect(await refusal(me().get(Secret, { namespace: 'team', name: 'other' }))).toBe(
      `secrets "other" is forbidden: User "system:node:a" cannot get resource "secrets" in API group "" in the namespace "team": ${noRelation}`,
    )
    expect(await refusal(me().list(ConfigMap, { namespace: 'team' }))).toContain('No Object name found')
    expect(await refusal(me().list(Pod))).toContain('can only list/watch pods with spec.nodeName field selector')
    expect((await me().list(Pod, { fieldSelector: 'spec.nodeName=a' })).items).toHaveLength(1)
    expect(await refusal(me().get(Lease, { namespace: 'kube-node-lease', name: 'b' }))).toContain(
      'can only access node lease with the same name as the requesting node',
    )
    expect(await refusal(me().get(Node, { name: 'b' }))).toContain("node 'a' cannot read 'b', only its own Node object")
  })

  it('writes what is its own, and nothing else', async () => {
    const spec = { containers: [{ name: 'a', image: 'a' }] }
    await admin.create(ServiceAccount, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'team', name: 'default' },
    })
    const pod = (name: string, nodeName: string): Pod =>
      ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'team', name }, spec: { ...spec, nodeName } }) as Pod
    const theirs = await admin.create(Pod, pod('theirs', 'b'))
    const ref = { namespace: 'team', name: 'theirs' }
    expect(await refusal(me().create(Pod, pod('new', 'a')))).toBe(
      'pods "new" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "a" can only create mirror pods',
    )
    expect(await refusal(me().delete(Pod, ref))).toBe(
      'pods "theirs" is forbidden: node "a" can only delete pods with spec.nodeName set to itself',
    )
    const status = me().request({
      verb: 'update',
      resource: Pod,
      ...ref,
      subresource: 'status',
      accept: { as: 'object', managedFields: true },
      body: { type: 'object', object: { ...theirs, status: { phase: 'Failed' } } },
    })
    expect(await refusal(status)).toBe(
      'pods "theirs" is forbidden: node "a" can only update pod status for pods with spec.nodeName set to itself',
    )
    const node = (name: string, labels: Record<string, string> = {}): Node => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: {},
    })
    expect(await refusal(me().create(Node, node('b')))).toBe(
      'nodes "b" is forbidden: node "a" is not allowed to modify node "b"',
    )
    expect(await refusal(me().create(Node, node('a', { 'node-role.kubernetes.io/control-plane': '' })))).toBe(
      'nodes "a" is forbidden: is not allowed to set the following labels: node-role.kubernetes.io/control-plane',
    )
    await me().create(Node, node('a', { 'kubernetes.io/hostname': 'a', disk: 'ssd' }))
    const taints = [{ key: 'k', effect: 'NoSchedule' }]
    const tainting = me().patch(Node, { name: 'a' }, { spec: { taints } }, { type: 'application/merge-patch+json' })
    expect(await refusal(tainting)).toBe('nodes "a" is forbidden: node "a" is not allowed to modify taints')
  })
})
