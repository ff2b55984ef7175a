import { expect, test } from 'vitest'
import { builtInSchema } from '#kinds'
import type { JsonObject, ManagedFieldsEntry } from '#objects'
import { findDifferences } from './differences.ts'
import { withoutUnowned } from './unowned.ts'

const owned = (fieldsV1: JsonObject): readonly ManagedFieldsEntry[] => [
  { manager: 'argocd-controller', operation: 'Apply', fieldsV1 },
]

const container = (fields: JsonObject) => ({ 'f:spec': { 'f:containers': { 'k:{"name":"main"}': fields } } })

test('an element that nobody owns, and a field that nobody owns of one that somebody does', () => {
  const schema = builtInSchema('', 'v1', 'Pod')
  const live = { spec: { containers: [{ name: 'main', image: 'a', imagePullPolicy: 'Always' }] } }
  const desired = {
    spec: { containers: [{ name: 'main', image: 'b', imagePullPolicy: 'Never' }, { name: 'sidecar' }], nodeName: 'n' },
  }
  const found = findDifferences({ live, desired }, schema)
  expect(found).toHaveLength(4)
  const left = withoutUnowned(found, {
    live: [],
    predicted: owned(container({ '.': {}, 'f:name': {}, 'f:image': {} })),
  })
  expect(left.map(({ path }) => path)).toEqual(['spec.containers[name=main].image'])
})

test('a field that only its owner before had counts too', () => {
  const found = findDifferences({ live: { spec: { a: 1, b: 1 } }, desired: { spec: {} } })
  const left = withoutUnowned(found, { live: owned({ 'f:spec': { 'f:a': {} } }), predicted: [] })
  expect(left.map(({ path }) => path)).toEqual(['spec.a'])
})

test.each<[string, JsonObject]>([
  ['a whole list', {}],
  ['elements by another key', { 'k:{"id":"x"}': { '.': {} } }],
  ['values of a set', { 'v:"x"': {} }],
])('elements of custom resources stay where their owner names %s', (_what, below) => {
  const set = owned({ 'f:spec': { 'f:list': below } })
  const states = (name: string) => ({ spec: { list: [{ id: 'x', name, value: name }] } })
  const found = findDifferences({ live: states('a'), desired: states('b') })
  expect(found.length).toBeGreaterThan(0)
  expect(withoutUnowned(found, { live: [], predicted: set })).toEqual(found)
})

test("a Secret's value belongs to who wrote it as stringData", () => {
  const found = findDifferences({ live: { data: { a: 'x', b: 'x' } }, desired: { data: { a: 'y', b: 'y' } } })
  const left = withoutUnowned(found, { live: [], predicted: owned({ 'f:stringData': { 'f:a': {} } }) })
  expect(left.map(({ path }) => path)).toEqual(['data.a'])
})
