import { expect, test } from 'vitest'
import { compilePathPattern, PatternFault } from './path-pattern.ts'

test.each([
  ['apps/*', 'apps/web', true],
  ['apps/*', 'apps/web/sub', false],
  ['*', 'apps', true],
  ['apps/[ab]*', 'apps/b1', true],
  ['apps/[!ab]*', 'apps/b1', false],
  ['**/config.json', 'a/b/config.json', true],
  ['**/config.json', 'config.json', true],
  ['apps/**', 'apps/a/b', true],
  ['apps/{a,b}/x.y?ml', 'apps/b/x.yaml', true],
  ['apps/a.b', 'apps/axb', false],
  ['/apps/*', 'apps/web', true],
  ['a,b', 'a,b', true],
])('%s on %s', (pattern, path, expected) => {
  expect(compilePathPattern(pattern)(path)).toBe(expected)
})

test('a hostile pattern takes no time, a broken one is told', () => {
  expect(compilePathPattern(`${'*a'.repeat(300)}b`)('a'.repeat(3000))).toBe(false)
  expect(() => compilePathPattern('a[')('a[')).not.toThrow()
  expect(() => compilePathPattern('[z-a]')).toThrow(PatternFault)
})
