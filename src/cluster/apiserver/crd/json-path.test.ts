import { describe, expect, it } from 'vitest'
import { findValues } from './json-path.ts'

const object = {
  spec: { size: 3, tags: [{ k: 'x' }, { k: 'y' }], 'a.b': 'dotted' },
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
    [".spec['a.b']", ['dotted']],
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
