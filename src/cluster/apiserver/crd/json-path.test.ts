import { describe, expect, it } from 'vitest'
import { findValues } from './json-path.ts'

const object = {
  spec: { size: 3, tags: [{ k: 'x' }, { k: 'y' }], 'a.b': 'dotted', list: [1, 2, 3, 4], nothing: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False' },
    ],
  },
}

describe('findValues', () => {
  const cases: readonly [path: string, values: readonly unknown[]][] = [
    ['.spec.size', [3]],
    ['{.spec.size}', [3]],
    ['.spec.tags[*].k', ['x', 'y']],
    ['.spec.tags[1].k', ['y']],
    ['.spec.tags[-1].k', ['y']],
    ['.spec.a\\.b', ['dotted']],
    [".spec['a\\.b']", ['dotted']],
    [".spec['a.b']", []],
    [".spec['size','a\\.b']", [3, 'dotted']],
    ['.spec.list[0,2]', [1, 3]],
    ['.spec.list[1:]', [2, 3, 4]],
    ['.spec.list[:2]', [1, 2]],
    ['.spec.list[0:4:2]', [1, 3]],
    ['.spec.list[-2:]', [3, 4]],
    ['.spec.list[7]', []],
    ['.spec[*]', []],
    ['.spec.nothing', [null]],
    ['.spec.nothing.more', []],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ["$.status.conditions[?(@.status!='True')].type", ['Synced']],
    ['.spec.missing', []],
    ['..k', ['x', 'y']],
    ['not a path', []],
  ]
  it.each(cases)('%s', (path, values) => {
    expect(findValues(object, path)).toEqual(values)
  })
})
