import { expect, it } from 'vitest'
import { decideTtl } from './decide.ts'

it.each<readonly [number, string | undefined, string]>([
  [3, undefined, '0'],
  [100, undefined, '0'],
  [101, '0', '15'],
  [95, '15', '15'],
  [89, '15', '0'],
  [5000, undefined, '300'],
  [1900, '300', '300'],
  [1900, '60', '60'],
  [3, 'nonsense', '0'],
])('%i nodes that say %s: %s', (nodes, current, expected) => {
  expect(decideTtl(nodes, current)).toBe(expected)
})
