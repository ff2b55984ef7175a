import { expect, test } from 'vitest'
import { applicationSourceSchema } from '#kinds'
import type { Json } from '#objects'
import { shapeFault } from './shape.ts'

test.each<[Json]>([
  [{}],
  [{ helm: null }],
  [{ helm: { valueFiles: ['a'], valuesObject: { any: [1, null] }, skipCrds: true }, unknown: 5 }],
  [{ kustomize: { replicas: [{ name: 'a', count: 2 }], commonLabels: { a: 'b' } } }],
  [{ plugin: { env: [{ name: 'A', value: 'b' }], parameters: [{ name: 'm', map: { a: 'b' } }] } }],
])('a source as Applications have it fits: %j', (value) => {
  expect(shapeFault(applicationSourceSchema, value)).toBeUndefined()
})

test.each<[Json, string]>([
  [[], 'a map is expected'],
  [{ helm: 5 }, 'helm: a map is expected'],
  [{ helm: { valueFiles: 'a' } }, 'helm.valueFiles: a list is expected'],
  [{ helm: { valueFiles: ['a', null] } }, 'helm.valueFiles[1]: a text is expected'],
  [{ helm: { parameters: [{ name: 'a', value: 5 }] } }, 'helm.parameters[0].value: a text is expected'],
  [
    { kustomize: { replicas: [{ name: 'a', count: [] }] } },
    'kustomize.replicas[0].count: a number or a text is expected',
  ],
  [{ kustomize: { commonLabels: { a: 1 } } }, 'kustomize.commonLabels.a: a text is expected'],
  [{ plugin: { env: 'x' } }, 'plugin.env: a list is expected'],
  [{ directory: { recurse: 'yes' } }, 'directory.recurse: true or false is expected'],
])('what does not is told with its path: %j', (value, fault) => {
  expect(shapeFault(applicationSourceSchema, value)).toBe(fault)
})
