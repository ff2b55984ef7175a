// What an AdmissionConfiguration changes: whom PodSecurity passes over and what it asks of all, what nobody gets without a
// quota; and how faults of the file are told.

import { describe, expect, it } from 'vitest'
import { admissionPlugins, readAdmissionConfiguration } from '#admission'
import { createClient } from '#client'
import { Deployment, Namespace, Pod, PriorityClass, ResourceQuota, RuntimeClass } from '#kinds'
import { made } from './objects.ts'
import { startServer, type TestServer, tester } from './server.ts'

const pod = (namespace: string, name: string, spec: object = {}): Pod =>
  made('Pod', 'v1', { metadata: { name, namespace }, spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec } })
const onHost = { hostNetwork: true }

const read = (text: string, others: Readonly<Record<string, string>> = {}) =>
  readAdmissionConfiguration(admissionPlugins, { name: 'admission.yaml', text }, (path) => ({
    name: path,
    text: others[path] ?? '',
  }))

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n'
const podSecurity = `${head}- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: { enforce: baseline, warn: restricted, warn-version: v1.30 }
    exemptions:
      usernames: [operator]
      runtimeClasses: [sandboxed]
      namespaces: [kube-system]
`

async function startBy(text: string): Promise<TestServer & { readonly warnings: string[] }> {
  const { configured, faults } = read(text)
  expect(faults).toBeUndefined()
  const server = startServer(1, { admission: { disable: ['ServiceAccount'], configured: configured ?? [] } })
  const warnings: string[] = []
  const handle: typeof server.handle = async (request, signal) => {
    const answer = await server.handle(request, signal)
    warnings.push(...(answer.warnings ?? []))
    return answer
  }
  return { ...server, client: createClient(handle, tester), warnings }
}

describe('PodSecurity by a configuration', () => {
  it('asks of all namespaces what its defaults say, where labels say nothing', async () => {
    const { client, warnings } = await startBy(podSecurity)
    await client.create(Pod, pod('default', 'plain'))
    expect(warnings).toEqual([expect.stringContaining('would violate PodSecurity "restricted:v1.30"')])
    await expect(client.create(Pod, pod('default', 'host', onHost))).rejects.toThrow(
      'pods "host" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    )
    const labels = { 'pod-security.kubernetes.io/enforce': 'privileged' }
    await client.create(Namespace, made<Namespace>('Namespace', 'v1', { metadata: { name: 'open', labels } }))
    await client.create(Pod, pod('open', 'host', onHost))
  })

  it('passes over namespaces, users and runtime classes that are exempt', async () => {
    const { client, warnings, handle } = await startBy(podSecurity)
    await client.create(Pod, pod('kube-system', 'host', onHost))
    const operator = createClient(handle, { ...tester, user: 'operator' })
    await operator.create(Pod, pod('default', 'by-operator', onHost))
    await client.create(
      RuntimeClass,
      made<RuntimeClass>('RuntimeClass', 'node.k8s.io/v1', { metadata: { name: 'sandboxed' }, handler: 'sandbox' }),
    )
    await client.create(Pod, pod('default', 'boxed', { ...onHost, runtimeClassName: 'sandboxed' }))
    expect(warnings).toEqual([])
  })

  it('says of an exempt namespace that what its labels ask is ignored', async () => {
    const { client, warnings } = await startBy(podSecurity)
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await client.patch(
      Namespace,
      { name: 'kube-system' },
      { metadata: { labels } },
      { type: 'application/merge-patch+json' },
    )
    expect(warnings).toEqual([
      'namespace "kube-system" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored',
    ])
  })

  it('warns nobody of existing pods whose runtime class is exempt', async () => {
    const { client, warnings } = await startBy(podSecurity.replace('enforce: baseline, ', ''))
    await client.create(
      RuntimeClass,
      made<RuntimeClass>('RuntimeClass', 'node.k8s.io/v1', { metadata: { name: 'sandboxed' }, handler: 'sandbox' }),
    )
    await client.create(Pod, pod('default', 'boxed', { ...onHost, runtimeClassName: 'sandboxed' }))
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' }
    await client.patch(
      Namespace,
      { name: 'default' },
      { metadata: { labels } },
      { type: 'application/merge-patch+json' },
    )
    expect(warnings).toEqual([])
  })
})

describe('ResourceQuota by a configuration', () => {
  const quotas = (rest: string) => `${head}- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
${rest}`
  const asking = {
    containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
  }

  async function grant({ client }: TestServer, hard: object, more: object = {}): Promise<void> {
    const metadata = { name: 'q', namespace: 'default' }
    await client.create(
      ResourceQuota,
      made<ResourceQuota>('ResourceQuota', 'v1', { metadata, spec: { hard, ...more } }),
    )
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    const type = 'application/merge-patch+json'
    await client.patch(ResourceQuota, metadata, { status: { hard, used } }, { type, subresource: 'status' })
  }

  it('gives nobody what no quota of the namespace covers', async () => {
    const server = await startBy(quotas('    - { resource: pods, matchContains: [cpu] }\n'))
    await server.client.create(Pod, pod('default', 'modest'))
    await expect(server.client.create(Pod, pod('default', 'a', asking))).rejects.toThrow(
      'pods "a" is forbidden: insufficient quota to consume: cpu,limits.cpu,requests.cpu',
    )
    await grant(server, { 'limits.cpu': '8', 'requests.cpu': '8', cpu: '8' })
    await server.client.create(Pod, pod('default', 'a', asking))
  })

  it('gives nobody a class of priority that no quota covers', async () => {
    const server = await startBy(
      quotas(
        '    - { resource: pods, matchScopes: [{ scopeName: PriorityClass, operator: In, values: [high, top] }] }\n',
      ),
    )
    const { client } = server
    for (const name of ['high', 'low'])
      await client.create(
        PriorityClass,
        made<PriorityClass>('PriorityClass', 'scheduling.k8s.io/v1', { metadata: { name }, value: 1 }),
      )
    await client.create(Pod, pod('default', 'low', { priorityClassName: 'low' }))
    await expect(client.create(Pod, pod('default', 'high', { priorityClassName: 'high' }))).rejects.toThrow(
      'insufficient quota to match these scopes: [{PriorityClass In [high top]}]',
    )
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }]
    await grant(server, { pods: '5' }, { scopeSelector: { matchExpressions } })
    await client.create(Pod, pod('default', 'high', { priorityClassName: 'high' }))
  })

  it('counts things of other groups', async () => {
    const server = await startBy(
      quotas('    - { apiGroup: apps, resource: deployments, matchContains: [count/deployments.apps] }\n'),
    )
    const labels = { app: 'web' }
    const deployment = made<Deployment>('Deployment', 'apps/v1', {
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod('', '').spec } },
    })
    await expect(server.client.create(Deployment, deployment)).rejects.toThrow(
      'deployments.apps "web" is forbidden: insufficient quota to consume: count/deployments.apps',
    )
  })
})

describe('a file', () => {
  it('may lead to files of plug-ins', () => {
    const text = `${head}- { name: PodSecurity, path: pods.yaml }\n- { name: ResourceQuota, path: quotas.yaml }\n`
    const configuration = 'apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n'
    const good = { 'pods.yaml': configuration }
    const legacy = 'apiVersion: resourcequota.admission.k8s.io/v1beta1\nkind: Configuration\n'
    expect(read(text, { ...good, 'quotas.yaml': legacy }).configured?.map(({ name }) => name)).toEqual([
      'PodSecurity',
      'ResourceQuota',
    ])
    expect(
      read(text, { 'pods.yaml': `${configuration}defaults:\n  enforce: strict\n`, 'quotas.yaml': legacy }),
    ).toEqual({
      faults: 'pods.yaml:4: defaults.enforce is "strict", must be one of privileged, baseline, restricted',
    })
  })

  const security = (rest: string): string =>
    `${head}- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
${rest}`

  it.each([
    ['kind: List\n', 'admission.yaml:1: apiVersion is required: apiserver.config.k8s.io/v1 or'],
    ['- a\n', 'admission.yaml:1: must be an object'],
    ['a: {\n', 'admission.yaml: yaml: '],
    [`${head}- name: Podsecurity\n`, 'admission.yaml:4: plugins[0].name "Podsecurity" is no admission plug-in; those'],
    [`${head}- name: EventRateLimit\n`, '"EventRateLimit" is a plug-in of kube-apiserver that is not supported here'],
    [
      `${head}- name: ImagePolicyWebhook\n`,
      '"ImagePolicyWebhook" is a plug-in of kube-apiserver that is not supported',
    ],
    [`${head}- name: Priority\n`, '"Priority" cannot be configured here; those that can be configured: PodSecurity, '],
    [
      `${head}- name: PodSecurity\n- name: PodSecurity\n`,
      'admission.yaml:5: plugins[1].name "PodSecurity" is configured',
    ],
    [
      `${head}- name: PodSecurity\n  configuration: { kind: PodSecurityConfiguration }\n`,
      'admission.yaml:5: plugins[0].configuration.apiVersion is required: pod-security.admission.config.k8s.io/v1 or',
    ],
    [
      security('    defaults:\n      enforce-version: "1.30"\n'),
      'admission.yaml:9: plugins[0].configuration.defaults.enf',
    ],
    [
      security('    exemptions:\n      users: [a]\n'),
      'admission.yaml:9: plugins[0].configuration.exemptions.users is not',
    ],
    [
      security('    exemptions:\n      namespaces:\n      - a\n      - B\n'),
      'admission.yaml:11: plugins[0].configuration',
    ],
    [security('    exemptions: { usernames: [a, a] }\n'), 'exemptions.usernames[1] "a" is there twice'],
    [
      `${head}- name: ResourceQuota\n  configuration: { apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{}] }\n`,
      'admission.yaml:5: plugins[0].configuration.limitedResources[0].resource is required',
    ],
  ])('with faults names file, line and field: %j', (text, expected) => {
    expect(read(text).faults).toContain(expected)
  })
})
