import { describe, expect, test } from 'vitest'
import { builtInSchema } from '#kinds'
import type { AnyObject, ManagedFieldsEntry, Schema } from '#objects'
import { compareDeclared, compareStates } from './compare.ts'
import { findDifferences } from './differences.ts'
import { pathPointer } from './field-path.ts'
import { type IgnoreRule, rulesFor, withoutPaths } from './ignore.ts'
import { ownerOf, withOwners } from './ownership.ts'
import { maskSecrets } from './secrets.ts'

const deployment = (spec: object, metadata: object = {}): AnyObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec,
  }) as unknown as AnyObject

const containers = (...list: object[]) => ({ replicas: 3, template: { spec: { containers: list } } })
const schema = builtInSchema('apps', 'v1', 'Deployment')
const paths = (live: AnyObject, predicted: AnyObject, ignore: readonly IgnoreRule[] = []) =>
  compareStates({ live, predicted, ignore, ...(schema === undefined ? {} : { schema }) }).differences.map(
    (each) => each.path,
  )

describe('comparing', () => {
  test('what the server keeps for itself, and status, do not count', () => {
    const live = {
      ...deployment({ replicas: 3 }, { uid: 'u', resourceVersion: '5', generation: 4, creationTimestamp: 't' }),
      status: { replicas: 1 },
    }
    expect(compareStates({ live, predicted: deployment({ replicas: 3 }), ignore: [] })).toEqual({
      modified: false,
      differences: [],
    })
  })

  test('a field is told by path, with both values', () => {
    const { differences } = compareStates({
      live: deployment({ replicas: 9 }),
      predicted: deployment({ replicas: 3 }),
      ignore: [],
    })
    expect(differences).toEqual([{ path: 'spec.replicas', steps: expect.anything(), live: 9, desired: 3 }])
    expect(pathPointer(differences[0]?.steps ?? [])).toBe('/spec/replicas')
  })

  test('elements of a list with keys are paired by them', () => {
    const live = deployment(containers({ name: 'sidecar' }, { name: 'web', image: 'web:1' }))
    const predicted = deployment(
      containers({ name: 'web', image: 'web:2', ports: [{ containerPort: 80, protocol: 'TCP' }] }, { name: 'sidecar' }),
    )
    expect(paths(live, predicted)).toEqual([
      'spec.template.spec.containers[name=web].image',
      'spec.template.spec.containers[name=web].ports',
    ])
  })

  test('an added and a removed element are one difference each', () => {
    const live = deployment(containers({ name: 'a' }, { name: 'b' }))
    const predicted = deployment(containers({ name: 'a' }, { name: 'c' }))
    expect(paths(live, predicted)).toEqual([
      'spec.template.spec.containers[name=c]',
      'spec.template.spec.containers[name=b]',
    ])
  })

  test('lists without keys are compared by place, or whole when their length differs', () => {
    const args = (...list: string[]) => deployment(containers({ name: 'a', args: list }))
    expect(paths(args('x', 'y'), args('x', 'z'))).toEqual(['spec.template.spec.containers[name=a].args[1]'])
    expect(paths(args('x'), args('x', 'z'))).toEqual(['spec.template.spec.containers[name=a].args'])
  })

  test('without a schema, names pair the elements', () => {
    const found = findDifferences({
      live: { list: [{ name: 'a', v: 1 }, { name: 'b' }] },
      desired: { list: [{ name: 'b' }, { name: 'a', v: 2 }] },
    })
    expect(found.map((each) => each.path)).toEqual(['list[name=a].v'])
  })

  test('the order of elements differs where no schema says that it does not', () => {
    const [a, b] = [{ name: 'a' }, { name: 'b' }]
    const found = findDifferences({ live: { list: [a, b] }, desired: { list: [b, a] } })
    expect(found).toMatchObject([{ path: 'list', live: [a, b], desired: [b, a] }])
    expect(paths(deployment(containers(a, b)), deployment(containers(b, a)))).toEqual([])
  })

  test('keys of annotations are shown whole', () => {
    expect(
      paths(
        deployment({}, { annotations: { 'example.com/x': 'a' } }),
        deployment({}, { annotations: { 'example.com/x': 'b' } }),
      ),
    ).toEqual(['metadata.annotations[example.com/x]'])
  })

  test('a target that the cluster refuses is compared by what it declares', () => {
    const live = deployment({ replicas: 3, paused: true })
    expect(compareDeclared(deployment({ replicas: 4 }), live).differences.map((each) => each.path)).toEqual([
      'spec.replicas',
    ])
  })
})

describe('ignoreDifferences', () => {
  const key = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' }
  test('rules are chosen by group, kind, name and namespace', () => {
    const chosen = (rule: IgnoreRule) => rulesFor([rule], key).length === 1
    expect(chosen({ group: 'apps', kind: 'Deployment' })).toBe(true)
    expect(chosen({ group: '*', kind: '*' })).toBe(true)
    expect(chosen({ group: '', kind: 'Deployment' })).toBe(false)
    expect(chosen({ group: 'apps', kind: 'Deployment', name: 'other' })).toBe(false)
    expect(chosen({ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' })).toBe(true)
  })

  test('pointers are removed on both sides', () => {
    const rule: IgnoreRule = {
      kind: 'Deployment',
      group: 'apps',
      jsonPointers: ['/spec/replicas', '/metadata/annotations/a~1b', '/spec/none'],
    }
    expect(
      paths(
        deployment({ replicas: 9 }, { annotations: { 'a/b': '1' } }),
        deployment({ replicas: 3 }, { annotations: { 'a/b': '2' } }),
        [rule],
      ),
    ).toEqual([])
    expect(paths(deployment({ replicas: 9, x: 1 }), deployment({ replicas: 3, x: 2 }), [rule])).toEqual(['spec.x'])
  })

  test('fields of a named manager are left alone', () => {
    const managedFields: ManagedFieldsEntry[] = [
      { manager: 'autoscaler', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]
    const rule: IgnoreRule = { kind: 'Deployment', group: 'apps', managedFieldsManagers: ['autoscaler'] }
    const states = {
      live: deployment({ replicas: 9 }),
      predicted: deployment({ replicas: 3 }),
      ignore: [rule],
      managedFields,
    }
    expect(compareStates(states).modified).toBe(false)
    expect(compareStates({ ...states, managedFields: [] }).modified).toBe(true)
  })

  test('paths that jq expressions mean are left out on each side', () => {
    const list = (...values: readonly number[]) => deployment({ list: values })
    const states = { live: list(1, 2, 3), predicted: list(2), ignore: [] }
    const paths = (...at: readonly number[]) => at.map((index) => ['spec', 'list', index])
    expect(compareStates(states).modified).toBe(true)
    expect(compareStates({ ...states, ignoredPaths: { live: paths(0, 2), predicted: [] } }).modified).toBe(false)
    expect(
      withoutPaths({ list: [1, 2, 3, 4], gone: 1 }, [['list', 0], ['gone'], ['list', 2], ['nowhere', 'x']]),
    ).toEqual({
      list: [2, 4],
    })
  })
})

describe('owners', () => {
  const managedFields: ManagedFieldsEntry[] = [
    {
      manager: 'argocd-controller',
      operation: 'Apply',
      time: '2026-01-01T00:00:00Z',
      fieldsV1: {
        'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {} } } } } },
      },
    },
    {
      manager: 'kubectl',
      operation: 'Update',
      time: '2026-01-02T00:00:00Z',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    },
    {
      manager: 'kubectl-edit',
      operation: 'Update',
      time: '2026-01-03T00:00:00Z',
      fieldsV1: {
        'f:spec': {
          'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { 'f:image': {}, 'f:args': {} } } } },
        },
      },
    },
  ]
  test('of a changed field is who changed it, of a removed one nobody', () => {
    const live = deployment(containers({ name: 'web', image: 'evil', args: ['a', 'b'] }))
    const predicted = deployment({
      ...containers({ name: 'web', image: 'good', args: ['a', 'c'] }),
      replicas: 1,
      paused: true,
    })
    const owned = withOwners(
      compareStates({ live, predicted, ignore: [], ...(schema === undefined ? {} : { schema }) }).differences,
      managedFields,
    )
    expect(owned.map(({ path, owner }) => [path, owner?.manager, owner?.time])).toEqual([
      ['spec.replicas', 'kubectl', '2026-01-02T00:00:00Z'],
      ['spec.template.spec.containers[name=web].image', 'kubectl-edit', '2026-01-03T00:00:00Z'],
      ['spec.template.spec.containers[name=web].args[1]', 'kubectl-edit', '2026-01-03T00:00:00Z'],
      ['spec.paused', undefined, undefined],
    ])
  })

  test('nobody owns what no set holds', () => {
    expect(ownerOf(managedFields, [{ type: 'field', name: 'metadata' }])).toBeUndefined()
    expect(ownerOf([], [])).toBeUndefined()
  })
})

describe('secrets', () => {
  const secret = (data: object, more: object = {}): AnyObject =>
    ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data, ...more }) as unknown as AnyObject

  test('equal values get equal masks, others longer ones', () => {
    const [a, b, c] = maskSecrets(secret({ k: 'eA==', l: 'eQ==' }), secret({ k: 'eA==', l: 'eg==' }), undefined)
    expect([a['data'], b['data'], c]).toEqual([
      { k: '++++++++', l: '++++++++' },
      { k: '++++++++', l: '++++++++++++' },
      undefined,
    ])
  })

  test('stringData is the same value as its base64', () => {
    const [a, b] = maskSecrets(secret({ k: 'eA==' }), secret({}, { stringData: { k: 'x' } }))
    expect([a['data'], b['stringData']]).toEqual([{ k: '++++++++' }, { k: '++++++++' }])
  })

  test('kubectl\u2019s note is masked too, and differences never show a value', () => {
    const noted = {
      ...secret({ k: 'c2VjcmV0' }),
      metadata: {
        name: 's',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration':
            '{"kind":"Secret","apiVersion":"v1","metadata":{},"data":{"k":"c2VjcmV0"}}',
        },
      },
    }
    expect(JSON.stringify(maskSecrets(noted as AnyObject))).not.toContain('c2VjcmV0')
    const { differences } = compareStates({
      live: secret({ k: 'c2VjcmV0' }),
      predicted: secret({ k: 'b3RoZXI=' }),
      ignore: [],
    })
    expect(differences).toMatchObject([{ path: 'data.k', live: '++++++++', desired: '++++++++++++' }])
  })

  test('what is no map of texts is masked all the same', () => {
    const wrong = secret({}, { data: 'plain', stringData: ['other'] })
    expect(maskSecrets(wrong)[0]).toMatchObject({ data: '++++++++', stringData: '++++++++' })
  })

  test('other kinds come back as they are', () => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 's' },
      data: { k: 'v' },
    } as unknown as AnyObject
    expect(maskSecrets(map)[0]).toBe(map)
  })
})

test('the schema of Deployments is there', () => {
  expect((schema as Schema).type).toBe('object')
})
