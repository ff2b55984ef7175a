import { describe, expect, it } from 'vitest'
import { matchesGlob, matchesGlobs } from './glob.ts'

describe('globs', () => {
  it.each<[string, string, boolean]>([
    ['web', 'web', true],
    ['web', 'web-1', false],
    ['web-*', 'web-1', true],
    ['*', '', true],
    ['', '', true],
    ['', 'x', false],
    ['ghcr.io/*:v?', 'ghcr.io/a/b:v2', true],
    ['ghcr.io/*', 'ghcrXio/a', false],
    ['a[1]*', 'a[1]b', true],
    ['sh -c *', 'sh -c echo\nexit', true],
  ])('%s and %s', (pattern, name, matches) => {
    expect(matchesGlob(pattern, name)).toBe(matches)
  })

  it('without a list everything matches, with an empty one nothing', () => {
    expect([matchesGlobs(undefined, 'a'), matchesGlobs([], 'a'), matchesGlobs(['b', 'a'], 'a')]).toEqual([
      true,
      false,
      true,
    ])
  })
})
