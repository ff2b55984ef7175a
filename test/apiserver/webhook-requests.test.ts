// Who is asked by admission webhooks, in which order, and what they are shown.

import { describe, expect, it } from 'vitest'
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  HorizontalPodAutoscaler,
  MutatingWebhookConfiguration,
  Namespace,
  Pod,
  Secret,
  ValidatingWebhookConfiguration,
} from '#kinds'
import { customKind, definitionOf } from '../support/custom-kinds.ts'
import { made } from './objects.ts'
import { tester } from './server.ts'
import {
  adds,
  answers,
  asked,
  configMap,
  deployment,
  hook,
  mutating,
  paths,
  refusal,
  rule,
  setUp,
  test,
  validating,
} from './webhook-server.ts'

describe('the question', () => {
  it('holds what a webhook of Kubernetes is told, and no more', async () => {
    await setUp()
    await mutating('a', [hook('one')])
    await configMap('web', { data: { a: '1' } })
    const [{ request, apiVersion } = { request: undefined, apiVersion: '' }] = asked
    expect(apiVersion).toBe('admission.k8s.io/v1')
    expect(request).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'web',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: tester.user, groups: tester.groups },
      // It has no uid and no creation time yet.
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'web', namespace: 'default' },
        data: { a: '1' },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    })
  })

  it('has no name while it is to be generated, and a uid once nothing changes any more', async () => {
    await setUp()
    await mutating('a', [hook('one')])
    await validating('a', [hook('two')])
    const made = await test.world.drive(() =>
      test.client.create(ConfigMap, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'web-', namespace: 'default' },
      }),
    )
    const [before, after] = asked.map(({ request }) => request)
    expect(before?.name).toBeUndefined()
    expect(before?.object?.['metadata']).toEqual({ generateName: 'web-', namespace: 'default' })
    expect(after?.name).toBeUndefined()
    expect(after?.object?.['metadata']).toMatchObject({ name: made.metadata.name, uid: made.metadata.uid })
  })

  it.each<[string, readonly string[], (namespace: string) => Promise<unknown>, object]>([
    [
      'a namespace counts as its own',
      ['namespaces'],
      () => test.client.create(Namespace, made<Namespace>('Namespace', 'v1', { metadata: { name: 'team' } })),
      { operation: 'CREATE', name: 'team', namespace: 'team' },
    ],
    [
      'an update tells what was before',
      ['secrets'],
      () =>
        test.client.patch(
          Secret,
          { namespace: 'default', name: 's' },
          { metadata: { labels: { a: 'b' } } },
          { type: 'application/merge-patch+json' },
        ),
      {
        operation: 'UPDATE',
        object: expect.objectContaining({ metadata: expect.objectContaining({ labels: { a: 'b' } }) }),
        oldObject: expect.objectContaining({ kind: 'Secret' }),
        options: expect.objectContaining({ kind: 'PatchOptions' }),
      },
    ],
    [
      'a delete has only an old object',
      ['secrets'],
      () => test.client.delete(Secret, { namespace: 'default', name: 's' }),
      {
        operation: 'DELETE',
        object: null,
        oldObject: expect.objectContaining({ kind: 'Secret' }),
        options: expect.objectContaining({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' }),
      },
    ],
    [
      'scale is about a Scale',
      ['deployments/scale'],
      () =>
        test.client.patch(
          Deployment,
          { namespace: 'default', name: 'd' },
          { spec: { replicas: 3 } },
          { type: 'application/merge-patch+json', subresource: 'scale' },
        ),
      {
        subResource: 'scale',
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        object: expect.objectContaining({ kind: 'Scale', spec: { replicas: 3 } }),
        oldObject: expect.objectContaining({ kind: 'Scale', spec: { replicas: 1 } }),
      },
    ],
  ])('%s', async (_name, resources, act, expected) => {
    await setUp()
    await test.client.create(Secret, made<Secret>('Secret', 'v1', { metadata: { name: 's', namespace: 'default' } }))
    await deployment()
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources }]
    await mutating('a', [hook('one', { rules })])
    await validating('a', [hook('two', { rules })])
    await test.world.drive(() => act('default'))
    expect(paths()).toEqual(['one', 'two'])
    for (const { request } of asked) expect(request).toMatchObject(expected)
  })

  it('of a delete comes for each step that there is', async () => {
    await setUp()
    const metadata = { name: 'p', namespace: 'default' }
    const spec = { nodeName: 'n', containers: [{ name: 'a', image: 'a' }] }
    await test.client.create(Pod, made<Pod>('Pod', 'v1', { metadata, spec }))
    const held = { name: 'held', namespace: 'default', finalizers: ['example.com/held'] }
    await configMap('held', { metadata: held })
    await validating('a', [hook('one', { rules: [rule('pods', ['DELETE']), rule('configmaps', ['DELETE'])] })])
    const marks = async (act: () => Promise<unknown>): Promise<readonly unknown[]> => {
      asked.length = 0
      await test.world.drive(act)
      return asked.map(({ request: { oldObject } }) => {
        const { metadata: old } = oldObject as unknown as Pod
        return old.deletionGracePeriodSeconds
      })
    }
    const remove = (options?: { readonly gracePeriodSeconds: number }) =>
      marks(() => test.client.delete(Pod, metadata, options))
    expect(await remove()).toEqual([undefined])
    // It is going already: there is nothing to ask about.
    expect(await remove()).toEqual([])
    expect(await remove({ gracePeriodSeconds: 60 })).toEqual([])
    expect(await remove({ gracePeriodSeconds: 5 })).toEqual([30])
    // It is marked first, and goes then.
    expect(await remove({ gracePeriodSeconds: 0 })).toEqual([5, 0])
    const removeHeld = () => marks(() => test.client.delete(ConfigMap, held))
    expect(await removeHeld()).toEqual([undefined])
    expect(await removeHeld()).toEqual([0])
  })

  it('comes in the version that the webhook wants (matchPolicy Equivalent), and goes back from it', async () => {
    await setUp()
    const rules = [rule('horizontalpodautoscalers', ['CREATE'], 'autoscaling', 'v1')]
    await mutating('a', [hook('one', { rules }), hook('two', { rules, matchPolicy: 'Exact' })])
    answers.set('/one', adds('/spec/targetCPUUtilizationPercentage', 55))
    const hpa = await test.world.drive(() =>
      test.client.create(
        HorizontalPodAutoscaler,
        made<HorizontalPodAutoscaler>('HorizontalPodAutoscaler', 'autoscaling/v2', {
          metadata: { name: 'h', namespace: 'default' },
          spec: {
            maxReplicas: 5,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
            metrics: [
              { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
            ],
          },
        }),
      ),
    )
    expect(paths()).toEqual(['one'])
    expect(asked[0]?.request).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 80 } },
    })
    expect(hpa.spec?.metrics?.[0]?.resource?.target.averageUtilization).toBe(55)
  })

  it('tells of connections what they ask for', async () => {
    await setUp()
    await validating('a', [hook('one', { rules: [rule('pods/exec', ['CONNECT'])] })])
    answers.set('/one', () => ({ allowed: false, status: { message: 'nobody looks inside' } }))
    const answer = await test.world.drive(() =>
      test.handle(
        {
          verb: 'create',
          resource: Pod,
          namespace: 'default',
          name: 'one',
          subresource: 'exec',
          query: { command: 'sh', stdin: 'true', container: 'app' },
          caller: tester,
        },
        new AbortController().signal,
      ),
    )
    expect(asked[0]?.request).toMatchObject({
      operation: 'CONNECT',
      name: 'one',
      subResource: 'exec',
      kind: { kind: 'PodExecOptions' },
      object: { kind: 'PodExecOptions', command: ['sh'], stdin: true, container: 'app' },
      options: null,
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { object: { message: expect.stringContaining('looks inside') } },
    })
  })

  it('is put in v1beta1 to those who know nothing newer', async () => {
    await setUp()
    await mutating('a', [hook('one', { admissionReviewVersions: ['v1beta1', 'v1'] })])
    await configMap('a')
    expect(asked[0]?.apiVersion).toBe('admission.k8s.io/v1beta1')
  })
})

describe('who is asked', () => {
  it('by name of the configuration, then in its order', async () => {
    await setUp()
    await mutating('b', [hook('one')])
    await mutating('a', [hook('three'), hook('two')])
    await configMap('a')
    expect(paths()).toEqual(['three', 'two', 'one'])
  })

  it.each<[string, object, object, boolean]>([
    ['objectSelector', { objectSelector: { matchLabels: { on: 'yes' } } }, { labels: { on: 'yes' } }, true],
    ['objectSelector, not selected', { objectSelector: { matchLabels: { on: 'yes' } } }, {}, false],
    ['scope Cluster', { rules: [{ ...rule('configmaps'), scope: 'Cluster' }] }, {}, false],
    ['scope Namespaced', { rules: [{ ...rule('configmaps'), scope: 'Namespaced' }] }, {}, true],
    [
      'namespaceSelector',
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      {},
      true,
    ],
    [
      'namespaceSelector NotIn',
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['default'] }],
        },
      },
      {},
      false,
    ],
    ['matchConditions', { matchConditions: [{ name: 'a', expression: 'object.metadata.name == "a"' }] }, {}, true],
    [
      'matchConditions that ask what the caller may do',
      { matchConditions: [{ name: 'a', expression: "!authorizer.requestResource.check('create').allowed()" }] },
      {},
      false,
    ],
    [
      'matchConditions that ask what an account may do',
      {
        matchConditions: [
          {
            name: 'a',
            expression:
              "!authorizer.serviceAccount('default', 'x').group('apps').resource('deployments').check('get').allowed()",
          },
        ],
      },
      {},
      true,
    ],
    [
      'matchConditions: one that is false outweighs one that fails',
      {
        matchConditions: [
          { name: 'a', expression: 'object.data.x == "a"' },
          { name: 'b', expression: 'request.operation == "DELETE"' },
        ],
      },
      {},
      false,
    ],
  ])('%s', async (_name, more, metadata, isAsked) => {
    await setUp()
    await mutating('a', [hook('one', more)])
    await configMap('a', { metadata: { name: 'a', namespace: 'default', ...metadata } })
    expect(asked.length > 0).toBe(isAsked)
  })

  it.each([
    ['Fail', /^configmaps "a" is forbidden: expression 'object.data.x == "a"' resulted in error: /],
    ['Ignore', undefined],
  ])('match conditions that cannot be evaluated count as failurePolicy says: %s', async (failurePolicy, refused) => {
    await setUp()
    const matchConditions = [{ name: 'a', expression: 'object.data.x == "a"' }]
    await mutating('a', [hook('one', { failurePolicy, matchConditions })])
    if (refused === undefined) await configMap('a')
    else expect((await refusal(configMap('a'))).message).toMatch(refused)
    expect(asked).toEqual([])
  })

  it('an update is selected by its old labels too', async () => {
    await setUp()
    await configMap('a', { metadata: { name: 'a', namespace: 'default', labels: { on: 'yes' } } })
    await validating('a', [
      hook('one', { objectSelector: { matchLabels: { on: 'yes' } }, rules: [rule('configmaps', ['UPDATE'])] }),
    ])
    const ref = { namespace: 'default', name: 'a' }
    const change = { metadata: { labels: null } }
    await test.world.drive(() => test.client.patch(ConfigMap, ref, change, { type: 'application/merge-patch+json' }))
    expect(paths()).toEqual(['one'])
  })

  it('nobody about webhook configurations', async () => {
    await setUp()
    answers.set('/one', () => ({ allowed: false }))
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }]
    await validating('a', [hook('one', { rules })])
    await mutating('b', [hook('one', { rules })])
    await test.client.delete(MutatingWebhookConfiguration, { name: 'b' })
    await test.client.delete(ValidatingWebhookConfiguration, { name: 'a' })
    expect(asked).toEqual([])
  })

  it('again, when something changed after its call and it wants that', async () => {
    await setUp()
    await mutating('a', [
      hook('one', { reinvocationPolicy: 'IfNeeded' }),
      hook('two', { reinvocationPolicy: 'Never' }),
      hook('three', { reinvocationPolicy: 'IfNeeded' }),
    ])
    answers.set('/two', adds('/data', { two: 'x' }))
    await configMap('a')
    expect(paths()).toEqual(['one', 'two', 'three', 'one'])
  })

  it('again by custom resource versions that the webhook does not name', async () => {
    await setUp()
    await test.client.create(CustomResourceDefinition, definitionOf(customKind('Thing'), { versions: [{}, {}] }))
    await test.world.advance(1000)
    await mutating('a', [hook('one', { rules: [rule('things', ['CREATE'], 'example.com', 'v1')] })])
    const resource = { group: 'example.com', version: 'v2', resource: 'things' }
    const thing = { apiVersion: 'example.com/v2', kind: 'Thing', metadata: { name: 't', namespace: 'default' } }
    const answer = await test.world.drive(() =>
      test.handle(
        {
          verb: 'create',
          resource,
          namespace: 'default',
          body: { type: 'object', object: thing },
          caller: tester,
        },
        new AbortController().signal,
      ),
    )
    expect(answer.status).toBe(201)
    expect(asked[0]?.request).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'example.com/v1' },
    })
  })
})
