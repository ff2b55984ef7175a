import { expect, test } from 'vitest'
import { highestTag, versionRange } from './version-range.ts'

test.each(['1.*', '1.2.x', '^1.2.0', '~1.2', '>=1.0.0 <2.0.0', '>=1.0.0, <2.0.0', '*', '1', 'v1', '1.2 || 2.x'])(
  '%s is a range',
  (text) => {
    expect(versionRange(text)).toBeDefined()
  },
)

test.each([
  '',
  '1.2.3',
  'v1.2.3',
  'main',
  'x',
  'xray',
  'release-1.2',
  'v1.2.3-rc.1',
  'feature/1.x',
  'HEAD',
  '==',
  '1.2.3.4',
])('%s is none', (text) => {
  expect(versionRange(text)).toBeUndefined()
})

test('the highest tag that fits; candidates for release only when asked for', () => {
  const tags = ['v1.0.0', '1.2.0', 'v1.10.0', 'v2.0.0-rc.1', 'v2.0.0', 'nightly', 'v1.11.0-beta']
  expect(highestTag(tags, '1.x')).toBe('v1.10.0')
  expect(highestTag(tags, '~1.2')).toBe('1.2.0')
  expect(highestTag(tags, '>=1.0.0-0 <2.0.0-0')).toBe('v1.11.0-beta')
  expect(highestTag(tags, '^3')).toBeUndefined()
})
