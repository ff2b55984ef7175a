import { describe, expect, it } from 'vitest'
import { describeFaults } from '#objects'
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
  const { config: policy = defaultAuditPolicy, faults } = readAuditPolicy(text)
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
    expect(faults).toBeUndefined()
    expect(levelOf(request)).toBe(level)
  })

  it('leaves out stages of the whole and of the rule', () => {
    const { omitStages } = decideAudit(policy, { ...base, resource: 'pods', subresource: 'log' })
    expect(omitStages).toEqual(['RequestReceived', 'ResponseStarted'])
  })

  it('names what is wrong with it, and where', () => {
    const faultsOf = (policy: string): readonly string[] =>
      describeFaults('audit.yaml', readAuditPolicy(policy).faults ?? []).split('\n')
    expect(faultsOf('rules:\n- level: Everything\n  verb: get\n  users: root\n')).toEqual([
      'audit.yaml:1: apiVersion is required: audit.k8s.io/v1',
      'audit.yaml:1: kind is required: Policy',
      'audit.yaml:2: rules[0].level is "Everything", must be one of None, Metadata, Request, RequestResponse',
      'audit.yaml:4: rules[0].users must be a list',
      'audit.yaml:3: rules[0].verb is not a known field',
    ])
    const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n'
    for (const rules of ['', 'rules: []'])
      expect(faultsOf(`${head}${rules}`)[0]).toContain('rules needs at least one, or nothing is kept')
    expect(
      faultsOf(`${head}rules: [{level: None, namespaces: [''], nonResourceURLs: [/x]}]\nomitStages: [Later]`),
    ).toEqual([
      'audit.yaml:3: rules[0].nonResourceURLs cannot stand in a rule that names resources or namespaces too',
      'audit.yaml:4: omitStages[0] is "Later", must be one of RequestReceived, ResponseStarted, ResponseComplete, Panic',
    ])
    expect(faultsOf(`${head}rules: [{level: None, resources: [{resourceNames: [a]}]}]`)).toEqual([
      'audit.yaml:3: rules[0].resources[0].resourceNames needs at least one of resources',
    ])
    expect(faultsOf('rules: [')).toHaveLength(1)
  })
})
