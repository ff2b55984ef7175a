import { describe, expect, test } from 'vitest'
import { parseRevision } from './revision-name.ts'

describe('parseRevision', () => {
  test.each([
    ['', { type: 'head' }],
    ['HEAD', { type: 'head' }],
    ['A'.repeat(40), { type: 'commit', id: 'a'.repeat(40) }],
    ['main', { type: 'name', name: 'main', shortened: false }],
    ['feature/x-1', { type: 'name', name: 'feature/x-1', shortened: false }],
    ['refs/heads/main', { type: 'name', name: 'refs/heads/main', shortened: false }],
    ['deadbeef', { type: 'name', name: 'deadbeef', shortened: true }],
    ['v1.2.3', { type: 'name', name: 'v1.2.3', shortened: false }],
  ] as const)('%j', (text, expected) => {
    expect(parseRevision(text)).toEqual(expected)
  })

  test.each([
    '-x',
    '--upload-pack=touch /tmp/x',
    '../../etc/passwd',
    'a..b',
    'HEAD~1',
    'a b',
    'x.lock',
    'a\u0000b',
    'a^{tree}',
    'main:file',
    '@',
    '.hidden',
    'a/',
    'a/.b',
    'x'.repeat(300),
  ])('refuses %j', (text) => {
    expect(() => parseRevision(text)).toThrow(/is not a valid revision/)
  })
})
