// What admission makes of pods, claims and namespaces, and what it refuses.

import { describe, expect, it } from 'vitest'
import {
  ConfigMap,
  Lease,
  LimitRange,
  MutatingWebhookConfiguration,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  PriorityClass,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
  StorageClass,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '#kinds'
import { made } from './objects.ts'
import { startServer, type TestServer, tester } from './server.ts'

const pod = (name: string, spec: object = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }], ...spec },
  }) as unknown as Pod

async function serverWithAccount(): Promise<TestServer> {
  const server = startServer()
  await server.client.create(
    ServiceAccount,
    made<ServiceAccount>('ServiceAccount', 'v1', { metadata: { name: 'default', namespace: 'default' } }),
  )
  return server
}

describe('pods', () => {
  it('are refused without a service account', async () => {
    const { client } = startServer()
    await expect(client.create(Pod, pod('a'))).rejects.toThrow(
      'pods "a" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    )
  })

  it('get the token of their account, a priority and tolerations', async () => {
    const { client } = await serverWithAccount()
    const { spec } = await client.create(Pod, pod('a'))
    expect(spec).toMatchObject({ serviceAccountName: 'default', priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
    expect(spec?.volumes?.[0]?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/)
    expect(spec?.containers[0]?.volumeMounts?.[0]?.mountPath).toBe('/var/run/secrets/kubernetes.io/serviceaccount')
    expect(spec?.tolerations?.map(({ key }) => key)).toEqual([
      'node.kubernetes.io/not-ready',
      'node.kubernetes.io/unreachable',
    ])
  })

  it('of one template share one spec', async () => {
    const { client } = await serverWithAccount()
    const template = pod('a')
    const one = await client.create(Pod, template)
    const two = await client.create(Pod, { ...template, metadata: { name: 'b', namespace: 'default' } })
    expect(two.spec).toBe(one.spec)
  })

  it('take the value of their class, and no other', async () => {
    const { client } = await serverWithAccount()
    await client.create(
      PriorityClass,
      made<PriorityClass>('PriorityClass', 'scheduling.k8s.io/v1', { metadata: { name: 'high' }, value: 1000 }),
    )
    const high = await client.create(Pod, pod('a', { priorityClassName: 'high' }))
    expect(high.spec?.priority).toBe(1000)
    await expect(client.create(Pod, pod('b', { priorityClassName: 'none' }))).rejects.toThrow(
      'pods "b" is forbidden: no PriorityClass with name none was found',
    )
    await expect(client.create(Pod, pod('c', { priority: 7 }))).rejects.toThrow(
      'the integer value of priority (7) must not be provided in pod spec',
    )
  })

  it('keep to the limits of their namespace', async () => {
    const { client } = await serverWithAccount()
    const limits = [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '100m' }, max: { cpu: '2' } }]
    await client.create(
      LimitRange,
      made<LimitRange>('LimitRange', 'v1', { metadata: { name: 'l', namespace: 'default' }, spec: { limits } }),
    )
    const given = await client.create(Pod, pod('a'))
    expect(given.spec?.containers[0]?.resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '100m' } })
    expect(given.metadata.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu request for container app; cpu limit for container app',
    )
    const greedy = [{ name: 'app', image: 'x', resources: { limits: { cpu: '3' } } }]
    await expect(client.create(Pod, pod('b', { containers: greedy }))).rejects.toThrow(
      'pods "b" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
    )
  })

  it('are held to the level that labels of their namespace ask for', async () => {
    const { client } = await serverWithAccount()
    await client.patch(
      Namespace,
      { name: 'default' },
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } },
      { type: 'application/merge-patch+json' },
    )
    await client.create(Pod, pod('a'))
    await expect(client.create(Pod, pod('b', { hostNetwork: true }))).rejects.toThrow(
      'pods "b" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    )
  })
})

describe('claims', () => {
  const claim = (size: string, storageClassName: string): PersistentVolumeClaim =>
    made<PersistentVolumeClaim>('PersistentVolumeClaim', 'v1', {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: size } } },
    })

  it.each([
    [
      false,
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ],
    [true, undefined],
  ])('grow if their class allows it: %s', async (allowVolumeExpansion, refusal) => {
    const { client } = startServer()
    await client.create(
      StorageClass,
      made<StorageClass>('StorageClass', 'storage.k8s.io/v1', {
        metadata: { name: 'disk' },
        provisioner: 'example.com/disk',
        allowVolumeExpansion,
      }),
    )
    await client.create(PersistentVolumeClaim, claim('1Gi', 'disk'))
    const ref = { namespace: 'default', name: 'data' }
    const type = 'application/merge-patch+json'
    await client.patch(PersistentVolumeClaim, ref, { spec: { volumeName: 'v' } }, { type })
    await client.patch(PersistentVolumeClaim, ref, { status: { phase: 'Bound' } }, { type, subresource: 'status' })
    const growth = client.patch(
      PersistentVolumeClaim,
      ref,
      { spec: { resources: { requests: { storage: '2Gi' } } } },
      { type },
    )
    if (refusal === undefined) await growth
    else await expect(growth).rejects.toThrow(`persistentvolumeclaims "data" is forbidden: ${refusal}`)
  })
})

describe('quotas', () => {
  it('are charged for nothing that a webhook refuses', async () => {
    const { client, world } = await serverWithAccount()
    const quota = made<ResourceQuota>('ResourceQuota', 'v1', {
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { configmaps: '5' } },
    })
    await client.create(ResourceQuota, quota)
    const ref = { namespace: 'default', name: 'q' }
    const status = { hard: { configmaps: '5' }, used: { configmaps: '0' } }
    const type = 'application/merge-patch+json'
    await client.patch(ResourceQuota, ref, { status }, { type, subresource: 'status' })
    await client.create(
      ValidatingWebhookConfiguration,
      made<ValidatingWebhookConfiguration>('ValidatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', {
        metadata: { name: 'hook' },
        webhooks: [
          {
            name: 'hook.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { service: { name: 'none', namespace: 'default' } },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          },
        ],
      }),
    )
    const map = made<ConfigMap>('ConfigMap', 'v1', { metadata: { name: 'a', namespace: 'default' } })
    await expect(world.drive(() => client.create(ConfigMap, map))).rejects.toThrow('service "none" not found')
    expect((await client.get(ResourceQuota, ref)).status?.used).toEqual({ configmaps: '0' })
  })

  it('count objects of every kind, of those without a spec too, and updates that change nothing of it for nothing', async () => {
    const { client } = startServer()
    const metadata = { name: 'q', namespace: 'default' }
    const hard = { configmaps: '1', 'count/secrets': '0', 'count/leases.coordination.k8s.io': '0' }
    await client.create(ResourceQuota, made<ResourceQuota>('ResourceQuota', 'v1', { metadata, spec: { hard } }))
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    const type = 'application/merge-patch+json'
    await client.patch(ResourceQuota, metadata, { status: { hard, used } }, { type, subresource: 'status' })
    const named = (name: string) => ({ metadata: { name, namespace: 'default' } })
    const map = made<ConfigMap>('ConfigMap', 'v1', named('a'))
    await client.create(ConfigMap, map)
    await client.update(ConfigMap, { ...map, data: { more: 'fields' } })
    const exceeded = (what: string) =>
      `is forbidden: exceeded quota: q, requested: ${what}=1, used: ${what}=${used[what] ?? 0}, limited: ${what}=`
    used['configmaps'] = '1'
    await expect(client.create(ConfigMap, made<ConfigMap>('ConfigMap', 'v1', named('b')))).rejects.toThrow(
      `configmaps "b" ${exceeded('configmaps')}1`,
    )
    await expect(client.create(Secret, made<Secret>('Secret', 'v1', named('s')))).rejects.toThrow(
      `secrets "s" ${exceeded('count/secrets')}0`,
    )
    await expect(client.create(Lease, made<Lease>('Lease', 'coordination.k8s.io/v1', named('l')))).rejects.toThrow(
      `leases.coordination.k8s.io "l" ${exceeded('count/leases.coordination.k8s.io')}0`,
    )
  })
})

describe('namespaces', () => {
  it('that become stricter warn of the pods that they have', async () => {
    const { client, handle } = await serverWithAccount()
    await client.create(Pod, pod('a', { hostNetwork: true }))
    const answer = await handle(
      {
        verb: 'patch',
        resource: Namespace,
        name: 'default',
        body: {
          type: 'object',
          object: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } },
          contentType: 'application/merge-patch+json',
        },
        caller: tester,
      },
      new AbortController().signal,
    )
    expect(answer.warnings).toEqual([
      'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"',
      'a: host namespaces',
    ])
  })

  it('take no level that nobody knows', async () => {
    const { client } = startServer()
    const labels = { 'pod-security.kubernetes.io/enforce': 'strict' }
    await expect(
      client.create(Namespace, made<Namespace>('Namespace', 'v1', { metadata: { name: 'x', labels } })),
    ).rejects.toThrow(
      'Namespace "x" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of',
    )
  })

  it('of the system cannot be deleted, and those being deleted take nothing new', async () => {
    const { client } = startServer()
    await expect(client.delete(Namespace, { name: 'kube-system' })).rejects.toThrow('this namespace may not be deleted')
    await client.create(Namespace, made<Namespace>('Namespace', 'v1', { metadata: { name: 'x' } }))
    const going = await client.delete(Namespace, { name: 'x' })
    expect(going).toMatchObject({ status: { phase: 'Terminating' } })
    const late = made<ConfigMap>('ConfigMap', 'v1', { metadata: { name: 'late', namespace: 'x' } })
    await expect(client.create(ConfigMap, late)).rejects.toThrow(
      'configmaps "late" is forbidden: unable to create new content in namespace x because it is being terminated',
    )
  })
})

describe('webhooks', () => {
  const hook = (failurePolicy: string): MutatingWebhookConfiguration =>
    made<MutatingWebhookConfiguration>('MutatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', {
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'set.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy,
          timeoutSeconds: 10,
          clientConfig: { service: { name: 'hook', namespace: 'default', port: 443, path: '/mutate' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
      ],
    })
  const map = made<ConfigMap>('ConfigMap', 'v1', { metadata: { name: 'a', namespace: 'default' } })

  it('that cannot be reached refuse with the words of Kubernetes', async () => {
    const { client } = startServer()
    await client.create(MutatingWebhookConfiguration, hook('Fail'))
    const call =
      'Internal error occurred: failed calling webhook "set.example.com": failed to call webhook: Post "https://hook.default.svc:443/mutate?timeout=10s": '
    await expect(client.create(ConfigMap, map)).rejects.toThrow(`${call}service "hook" not found`)
    await client.create(
      Service,
      made<Service>('Service', 'v1', {
        metadata: { name: 'hook', namespace: 'default' },
        spec: { ports: [{ port: 443 }] },
      }),
    )
    await expect(client.create(ConfigMap, map)).rejects.toThrow(`${call}no endpoints available for service "hook"`)
  })

  it('that may fail are passed over', async () => {
    const { client } = startServer()
    await client.create(MutatingWebhookConfiguration, hook('Ignore'))
    await expect(client.create(ConfigMap, map)).resolves.toMatchObject({ metadata: { name: 'a' } })
  })
})

describe('policies', () => {
  const policy = made<ValidatingAdmissionPolicy>('ValidatingAdmissionPolicy', 'admissionregistration.k8s.io/v1', {
    metadata: { name: 'few-keys' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
        ],
      },
      variables: [{ name: 'count', expression: 'has(object.data) ? size(object.data) : 0' }],
      validations: [
        { expression: 'variables.count <= 1', messageExpression: "'too many: ' + string(variables.count)" },
      ],
    },
  })
  const binding = (validationActions: readonly string[]): ValidatingAdmissionPolicyBinding =>
    made<ValidatingAdmissionPolicyBinding>('ValidatingAdmissionPolicyBinding', 'admissionregistration.k8s.io/v1', {
      metadata: { name: 'here' },
      spec: { policyName: 'few-keys', validationActions },
    })
  const map = (name: string, data: object): ConfigMap =>
    made<ConfigMap>('ConfigMap', 'v1', { metadata: { name, namespace: 'default' }, data })

  it('refuse what their expressions do not hold for', async () => {
    const { client } = startServer()
    await client.create(ValidatingAdmissionPolicy, policy)
    await client.create(ConfigMap, map('before', { a: '1', b: '2' }))
    await client.create(ValidatingAdmissionPolicyBinding, binding(['Deny']))
    await client.create(ConfigMap, map('good', { a: '1' }))
    await expect(client.create(ConfigMap, map('bad', { a: '1', b: '2' }))).rejects.toMatchObject({
      code: 422,
      message:
        "configmaps \"bad\" is forbidden: ValidatingAdmissionPolicy 'few-keys' with binding 'here' denied request: too many: 2",
    })
  })

  it('only warn when their binding says so', async () => {
    const { client } = startServer()
    await client.create(ValidatingAdmissionPolicy, policy)
    await client.create(ValidatingAdmissionPolicyBinding, binding(['Warn']))
    const body = { type: 'object', object: map('bad', { a: '1', b: '2' }) } as const
    const { warnings } = await client.request({ verb: 'create', resource: ConfigMap, namespace: 'default', body })
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'few-keys' with binding 'here': too many: 2",
    ])
  })
})
