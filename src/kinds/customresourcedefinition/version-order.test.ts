import { expect, it } from 'vitest'
import { compareVersions } from './version-order.ts'

it('puts settled versions first, then newer ones', () => {
  const versions = ['v1beta1', 'foo10', 'v11alpha2', 'v1', 'v12alpha1', 'v2', 'v10beta3', 'v3beta1', 'foo1']
  expect(versions.toSorted(compareVersions)).toEqual([
    'v2',
    'v1',
    'v10beta3',
    'v3beta1',
    'v1beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
  ])
})
