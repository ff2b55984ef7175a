import { describe, expect, it } from 'vitest'
import { type AuditedRequest, decideAudit, defaultAuditPolicy } from './policy.ts'
import { readAuditPolicy } from './read-policy.ts'

const text = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: ["system:kube-proxy"]
  verbs: [watch]
  resources: [{group: "", resources: [endpoints, services, "services/status"]}]
- level: None
  nonResourceURLs: ["/healthz*", /version]
- level: Request
  resources: [{group: "", resources: [secrets], resourceNames: [known]}]
- level: Metadata
  resources: [{group: "", resources: ["pods/log", "*/status"]}]
  omitStages: [ResponseStarted]
- level: RequestResponse
  namespaces: [team]
- level: Request
  userGroups: ["system:authenticated"]
`

const base: AuditedRequest = {
  user: 'ann',
  groups: ['system:authenticated'],
  verb: 'get',
  group: '',
  subresource: '',
  namespace: '',
  name: '',
  path: '',
}

describe('an audit policy', () => {
  const { policy = defaultAuditPolicy, faults } = readAuditPolicy(text)
  const levelOf = (request: Partial<AuditedRequest>): string => decideAudit(policy, { ...base, ...request }).level

  it.each([
    ['None', { user: 'system:kube-proxy', verb: 'watch', resource: 'services' }],
    ['Request', { user: 'system:kube-proxy', verb: 'list', resource: 'services' }],
    ['None', { path: '/healthz/etcd' }],
    ['Request', { path: '/versions' }],
    ['Request', { resource: 'secrets', name: 'known' }],
    ['Metadata', { resource: 'secrets', name: 'other', namespace: 'team' }],
    ['Metadata', { resource: 'pods', subresource: 'log' }],
    ['Metadata', { resource: 'nodes', subresource: 'status' }],
    ['RequestResponse', { resource: 'pods', namespace: 'team' }],
    ['Metadata', { resource: 'serviceaccounts', subresource: 'token', namespace: 'team' }],
    ['None', { resource: 'pods', groups: [] }],
  ] as const)('keeps %s of %o', (level, request) => {
    expect(faults).toEqual([])
    expect(levelOf(request)).toBe(level)
  })

  it('leaves out stages of the whole and of the rule', () => {
    const { omitStages } = decideAudit(policy, { ...base, resource: 'pods', subresource: 'log' })
    expect(omitStages).toEqual(['RequestReceived', 'ResponseStarted'])
  })

  it('names what is wrong with it', () => {
    expect(readAuditPolicy('rules: [{level: Everything, verb: get, users: root}]').faults).toEqual([
      'it is no Policy of audit.k8s.io/v1: check apiVersion and kind',
      'rules[0].verb: there is no such field',
      'rules[0].level: use one of None, Metadata, Request, RequestResponse',
      'rules[0].users: it must be a list of texts',
    ])
    expect(readAuditPolicy('apiVersion: audit.k8s.io/v1\nkind: Policy').faults).toEqual([
      'rules: give at least one, or nothing is kept',
    ])
    const mixed = 'rules: [{level: None, namespaces: [a], nonResourceURLs: [/x]}]\nomitStages: [Later]'
    expect(readAuditPolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\n${mixed}`).faults).toEqual([
      'rules[0].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs',
      'omitStages: Later is none of RequestReceived, ResponseStarted, ResponseComplete, Panic',
    ])
    expect(readAuditPolicy('rules: [').faults).toHaveLength(1)
  })
})
