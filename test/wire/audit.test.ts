// The audit log over the wire: what is recorded of which request.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuditPolicy, audited, createAudit, defaultAuditPolicy, readAuditPolicy } from '#apiserver'
import { createMachine, type Machine } from '#machine'
import { simulatedWorld } from '#world'
import { linesOf, openWire, type WireServer } from './kube-server.ts'

const policy: AuditPolicy =
  readAuditPolicy(`
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, nonResourceURLs: [/healthz]}
- {level: RequestResponse, namespaces: [team], omitManagedFields: true}
- {level: Metadata}
`).config ?? defaultAuditPolicy

interface AuditEvent {
  readonly [field: string]: unknown
  readonly auditID: string
  readonly stage: string
}

let server: WireServer
let events: AuditEvent[] = []
const stages = (): readonly string[] => events.map(({ stage }) => stage)
const last = (): AuditEvent => events.at(-1) ?? { auditID: '', stage: '' }

beforeAll(async () => {
  server = await openWire({
    audit: (world) => createAudit({ policy, world, write: (line) => events.push(JSON.parse(line) as AuditEvent) }),
  })
  await server.ask('/api/v1/namespaces', { method: 'POST', body: { kind: 'Namespace', metadata: { name: 'team' } } })
})
afterAll(() => server.close())
beforeEach(() => {
  events = []
})

const inTeam = '/api/v1/namespaces/team'
const maker = { 'user-agent': 'kubectl/v1.34.0', 'content-type': 'application/json' }

describe('an event', () => {
  it('says who did what, when, from where, why he might, and how it ended', async () => {
    const answer = await server.ask('/api/v1/namespaces/default/pods/none?pretty=true', { headers: maker })
    expect(stages()).toEqual(['RequestReceived', 'ResponseComplete'])
    expect(last()).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: answer.headers['audit-id'],
      stage: 'ResponseComplete',
      requestURI: '/api/v1/namespaces/default/pods/none?pretty=true',
      verb: 'get',
      user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'kubectl/v1.34.0',
      objectRef: { resource: 'pods', namespace: 'default', name: 'none', apiVersion: 'v1' },
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: 'pods "none" not found',
        reason: 'NotFound',
        details: { name: 'none', kind: 'pods' },
        code: 404,
      },
      requestReceivedTimestamp: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      stageTimestamp: expect.stringMatching(/Z$/),
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    })
  })

  it('of a refusal says so, and who was spoken for', async () => {
    await server.ask(`${inTeam}/configmaps`, { token: 'dev-token' })
    expect(last()).toMatchObject({
      verb: 'list',
      user: { username: 'dev' },
      responseStatus: { code: 403, reason: 'Forbidden' },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    })
    await server.ask(`${inTeam}/configmaps`, { headers: { 'impersonate-user': 'ann' } })
    expect(last()).toMatchObject({
      user: { username: 'kubernetes-admin' },
      impersonatedUser: { username: 'ann', groups: ['system:authenticated'] },
      responseStatus: { code: 403 },
    })
    await server.ask(`${inTeam}/configmaps`, { token: 'wrong' })
    expect(last()).toMatchObject({ user: { username: '' }, verb: 'get', responseStatus: { code: 401 } })
  })

  it('holds bodies where the policy wants them, without managed fields', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }
    await server.ask(`${inTeam}/configmaps`, { method: 'POST', headers: maker, body })
    expect(last()).toMatchObject({
      level: 'RequestResponse',
      verb: 'create',
      objectRef: { resource: 'configmaps', namespace: 'team', name: 'a' },
      requestObject: body,
      responseObject: { metadata: { name: 'a', namespace: 'team' }, data: { k: 'v' } },
    })
    expect(last()['responseObject']).not.toHaveProperty('metadata.managedFields')
  })

  it('never holds a secret by a rule for everything', async () => {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'swordfish' } }
    await server.ask(`${inTeam}/secrets`, { method: 'POST', headers: maker, body })
    expect(last()).toMatchObject({ level: 'Metadata', objectRef: { resource: 'secrets', name: 's' } })
    expect(JSON.stringify(events)).not.toContain('swordfish')
  })

  it('of a watch is told when it begins and when it ends', async () => {
    const stream = await server.open(`${inTeam}/configmaps?watch=true`)
    const lines = linesOf(stream)
    await lines.next()
    expect(stages()).toEqual(['RequestReceived', 'ResponseStarted'])
    stream.destroy()
    await expect.poll(stages).toContain('ResponseComplete')
  })

  it('carries the notes of admission', async () => {
    const pod = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    })
    const noted = (policy: string) => ({
      responseStatus: { code: 201 },
      annotations: { 'pod-security.kubernetes.io/enforce-policy': policy },
    })
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
    await server.ask(`${inTeam}/serviceaccounts`, { method: 'POST', headers: maker, body: account })
    await server.ask(`${inTeam}/pods`, { method: 'POST', headers: maker, body: pod('before') })
    expect(last()).toMatchObject(noted('privileged:latest'))
    await server.ask('/api/v1/namespaces/team', {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } },
    })
    await server.ask(`${inTeam}/pods`, { method: 'POST', headers: maker, body: pod('after') })
    expect(last()).toMatchObject(noted('baseline:latest'))
  })

  it('is not made where the policy says None', async () => {
    await server.ask('/healthz')
    expect(events).toEqual([])
  })
})

it('loops are recorded too, under their users, with what allowed it', async () => {
  const lines: AuditEvent[] = []
  const world = simulatedWorld(1)
  const write = (line: string): void => void lines.push(JSON.parse(line) as AuditEvent)
  const audit = createAudit({ policy: defaultAuditPolicy, world, write })
  const machine: Machine = createMachine({
    world,
    nodes: 1,
    wrapLoops: audited(audit, world, (question) => machine.decide(question)),
  })
  machine.start()
  await world.advance(5_000)
  expect(lines).toContainEqual(
    expect.objectContaining({
      verb: 'create',
      requestURI: '/api/v1/namespaces/default/configmaps',
      user: expect.objectContaining({ username: 'system:serviceaccount:kube-system:root-ca-cert-publisher' }),
      objectRef: expect.objectContaining({ resource: 'configmaps', namespace: 'default', name: 'kube-root-ca.crt' }),
      annotations: expect.objectContaining({
        'authorization.k8s.io/reason':
          'RBAC: allowed by ClusterRoleBinding "system:controller:root-ca-cert-publisher" of ClusterRole "system:controller:root-ca-cert-publisher" to ServiceAccount "root-ca-cert-publisher/kube-system"',
      }),
    }),
  )
  await machine.stop()
})
