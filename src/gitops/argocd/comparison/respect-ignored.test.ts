// What is applied where an application does not want to hear of differences.
import { expect, test } from 'vitest'
import type { AnyObject } from '#objects'
import { IgnoredPaths } from './ignored-paths.ts'
import { withLiveWhereIgnored } from './respect-ignored.ts'

test('ignored fields are taken from live', async () => {
  const target = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
    spec: { replicas: 3, list: [{ v: 1 }], gone: 1 },
  } as unknown as AnyObject
  const there = { ...target, spec: { replicas: 9, list: [{ v: 2 }], other: 5 } } as unknown as AnyObject
  const rules = [
    {
      group: 'apps',
      kind: 'Deployment',
      jsonPointers: ['/spec/replicas', '/spec/list/0/v', '/spec/gone', '/spec/none/deeper'],
    },
  ]
  const ignored = new IgnoredPaths({ paths: async () => [['spec', 'list', 0, 'v']], close: async () => undefined })
  const pair = { target, live: there }
  expect((await withLiveWhereIgnored(pair, rules, ignored))['spec']).toEqual({ replicas: 9, list: [{ v: 2 }] })
  expect(await withLiveWhereIgnored(pair, [], ignored)).toBe(target)
  const byJq = [{ group: 'apps', kind: 'Deployment', jqPathExpressions: ['.spec.list[].v'] }]
  expect((await withLiveWhereIgnored(pair, byJq, ignored))['spec']).toEqual({ replicas: 3, list: [{ v: 2 }], gone: 1 })
})
