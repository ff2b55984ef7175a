import { describe, expect, it } from 'vitest'
import { pathsOf, setOf } from './field-set.ts'
import { pathText } from './fields-v1.ts'

describe('paths', () => {
  it('are written as people read them', () => {
    const set = setOf(
      ['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:image'],
      ['f:metadata', 'f:finalizers', 'v:"x/y"'],
    )
    expect([...pathsOf(set)].map(pathText)).toEqual([
      '.metadata.finalizers[="x/y"]',
      '.spec.containers[name="a"].image',
    ])
  })
})
