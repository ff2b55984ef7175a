import { describe, expect, test } from 'vitest'
import { builtInSchema, schemaOfCustomResource } from '#kinds'
import type { AnyObject, ManagedFieldsEntry } from '#objects'
import { compareStates } from './compare.ts'
import { originalOf } from './original.ts'
import { storedForm } from './stored-form.ts'
import { predictThreeWay } from './three-way.ts'

const manager = 'argocd-controller'
const object = (apiVersion: string, kind: string, body: object, metadata: object = {}): AnyObject =>
  ({ apiVersion, kind, metadata: { name: 'web', namespace: 'shop', ...metadata }, ...body }) as unknown as AnyObject

const note = (applied: AnyObject) => ({
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied) },
})

interface Given {
  readonly target: AnyObject
  readonly live: AnyObject
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

function threeWay({ target, live, managedFields = [] }: Given) {
  const [group = '', version = ''] = target.apiVersion.includes('/')
    ? target.apiVersion.split('/')
    : ['', target.apiVersion]
  const schema = builtInSchema(group, version, target.kind)
  const known = schema === undefined ? {} : { schema }
  const original = originalOf({ target, live, managedFields, manager, ...known })
  const predicted = storedForm(predictThreeWay({ original, target, live, ...known }))
  const { differences } = compareStates({ live: storedForm(live), predicted, ignore: [], ...known })
  return { predicted, paths: differences.map(({ path }) => path) }
}

const pod = (containers: readonly object[], more: object = {}) => ({
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers, ...more } },
  },
})
const deployment = (containers: readonly object[], metadata: object = {}, more: object = {}) =>
  object('apps/v1', 'Deployment', pod(containers, more), metadata)

describe('a built-in kind', () => {
  const main = { name: 'main', image: 'nginx:1', resources: { limits: { cpu: 1 } } }

  test('does not differ by defaults, the spelling of quantities, or what others have added', () => {
    const target = deployment([main])
    const live = storedForm(
      deployment(
        [
          { name: 'sidecar', image: 'proxy:1' },
          { ...main, resources: { limits: { cpu: '1000m' } } },
        ],
        {
          ...note(target),
          labels: { team: 'blue' },
        },
      ),
    )
    expect(threeWay({ target, live }).paths).toEqual([])
  })

  test('differs in what git sets, and in what git no longer sets', () => {
    const applied = deployment([main, { name: 'old', image: 'old:1' }], { labels: { a: '1', b: '2' } })
    const live = storedForm(
      deployment(
        [
          { ...main, image: 'evil:1' },
          { name: 'old', image: 'old:1' },
        ],
        {
          ...note(applied),
          labels: { a: '1', b: '2', c: '3' },
        },
      ),
    )
    const { predicted, paths } = threeWay({ target: deployment([main], { labels: { a: '9' } }), live })
    expect(paths.sort()).toEqual([
      'metadata.labels.a',
      'metadata.labels.b',
      'spec.template.spec.containers[name=main].image',
      'spec.template.spec.containers[name=old]',
    ])
    expect(predicted.metadata.labels).toEqual({ a: '9', c: '3' })
  })

  test('whose last state nobody knows is compared by what git sets alone', () => {
    const live = storedForm(deployment([main, { name: 'old', image: 'old:1' }]))
    expect(threeWay({ target: deployment([main]), live }).paths).toEqual([])
    const unreadable = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{' } }
    expect(threeWay({ target: deployment([main]), live: storedForm(deployment([main], unreadable)) }).paths).toEqual([])
  })

  test('what a whole block loses leaves what others have put into it', () => {
    const applied = deployment([main], { labels: { a: '1' } }, { nodeSelector: { disk: 'ssd' } })
    const live = storedForm(
      deployment([main], { ...note(applied), labels: { a: '1', b: '2' } }, { nodeSelector: { disk: 'ssd' } }),
    )
    const { predicted, paths } = threeWay({ target: deployment([main]), live })
    expect(paths.sort()).toEqual(['metadata.labels.a', 'spec.template.spec.nodeSelector'])
    expect(predicted.metadata.labels).toEqual({ b: '2' })
  })

  test('fields that our manager owns count before a note of kubectl', () => {
    const service = (spec: object) => object('v1', 'Service', { spec })
    const port = { name: 'http', port: 80 }
    const live = storedForm(
      service({
        type: 'NodePort',
        ports: [
          { ...port, nodePort: 30_080 },
          { name: 'x', port: 81 },
        ],
      }),
    )
    const fieldsV1 = {
      'f:spec': {
        'f:type': {},
        'f:ports': {
          'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
          'k:{"port":81,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
        },
      },
    }
    const managedFields = [{ manager, operation: 'Apply' as const, fieldsV1 }]
    const { predicted, paths } = threeWay({ target: service({ ports: [port] }), live, managedFields })
    expect(paths.sort()).toEqual(['spec.ports[port=81,protocol=TCP]', 'spec.type'])
    expect(predicted['spec']).toMatchObject({ type: 'ClusterIP', ports: [{ nodePort: 30_080 }] })
  })

  test('finalizers are a set: those of others stay', () => {
    const config = (...finalizers: readonly string[]) => object('v1', 'ConfigMap', {}, { finalizers })
    const live = object('v1', 'ConfigMap', {}, { ...note(config('a/x', 'a/y')), finalizers: ['a/x', 'b/z', 'a/y'] })
    expect(threeWay({ target: config('a/y', 'a/w'), live }).predicted.metadata.finalizers).toEqual([
      'b/z',
      'a/y',
      'a/w',
    ])
  })

  test('texts of a Secret are its data', () => {
    const secret = (body: object) => object('v1', 'Secret', body)
    const target = secret({ stringData: { foo: 'bar', bar: '1234' }, data: { baz: 'cXV4' } })
    const live = (data: object) => secret({ type: 'Opaque', data: { bar: 'MTIzNA==', baz: 'cXV4', ...data } })
    expect(threeWay({ target, live: live({ foo: 'YmFy' }) }).paths).toEqual([])
    expect(threeWay({ target, live: live({ foo: 'eA==' }) }).paths).toEqual(['data.foo'])
  })

  test('of a wrong type is compared as it is written', () => {
    expect(threeWay({ target: deployment([{ name: 5 }]), live: storedForm(deployment([main])) }).paths).not.toEqual([])
  })
})

describe('a custom resource', () => {
  const widget = (spec: object, metadata: object = {}) => object('example.io/v1', 'Widget', { spec }, metadata)

  test('does not differ in fields that were added to it', () => {
    const target = widget({ size: 1, parts: [{ id: 'a' }] })
    const live = widget({ size: 1, colour: 'red', parts: [{ id: 'a', made: true }] }, note(target))
    expect(threeWay({ target, live }).paths).toEqual([])
  })

  test('differs in changed, removed and further elements', () => {
    const applied = widget({ size: 1, old: true, parts: [{ id: 'a' }] })
    const live = widget({ size: 2, old: true, parts: [{ id: 'b' }, { id: 'c' }] }, note(applied))
    expect(threeWay({ target: widget({ size: 1, parts: [{ id: 'a' }] }), live }).paths).toEqual([
      'spec.size',
      'spec.parts',
      'spec.old',
    ])
  })

  test('whose definition is known is merged by it, as a sync would', () => {
    const parts = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] }
    const part = { type: 'object', properties: { id: { type: 'string' }, size: { type: 'integer', default: 1 } } }
    const properties = { spec: { type: 'object', properties: { parts: { ...parts, items: part } } } }
    const schema = schemaOfCustomResource({ type: 'object', properties })
    const target = widget({ parts: [{ id: 'a' }] })
    const live = widget({
      parts: [
        { id: 'theirs', size: 1 },
        { id: 'a', size: 1 },
      ],
    })
    const predicted = storedForm(predictThreeWay({ original: {}, target, live, schema }), schema)
    expect(compareStates({ live: storedForm(live, schema), predicted, ignore: [], schema }).differences).toEqual([])
  })
})
