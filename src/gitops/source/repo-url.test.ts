import { describe, expect, test } from 'vitest'
import { exactKey, isSameRepository, looseKey, parseRepoUrl, withoutCredentials } from './repo-url.ts'
import { SourceError, scrub } from './source-error.ts'

describe('parseRepoUrl', () => {
  test('an absolute path and a file URL are local', () => {
    expect(parseRepoUrl('/srv/git/shop/')).toEqual({ type: 'local', path: '/srv/git/shop' })
    expect(parseRepoUrl('file:///srv/git/my%20shop')).toEqual({ type: 'local', path: '/srv/git/my shop' })
  })

  test('credentials are taken out of the URL', () => {
    expect(parseRepoUrl('https://me:p%40ss@git.example.com/org/repo.git')).toEqual({
      type: 'http',
      url: 'https://git.example.com/org/repo.git',
      credentials: { username: 'me', password: 'p@ss' },
    })
  })

  test('scp-like addresses are ssh', () => {
    expect(parseRepoUrl('git@github.com:org/repo.git')).toEqual({
      type: 'ssh',
      url: 'ssh://git@github.com/org/repo.git',
    })
    expect(parseRepoUrl('ssh://git:secret@Host:22/a/b/')).toEqual({ type: 'ssh', url: 'ssh://git@host/a/b' })
  })

  test.each([
    '',
    'relative/path',
    'ext::sh -c id',
    'javascript:alert(1)',
    'https://',
    'ftp://host/x',
    'https://a\nb/c',
    '--upload-pack=x',
    'ssh://-oProxyCommand=id/x',
    'ssh://-l@host/x',
    'ssh://host/a b',
    '-oProxyCommand=id@host:x',
    'git@-oProxyCommand=id:x',
  ])('refuses %j', (text) => {
    expect(() => parseRepoUrl(text)).toThrow(SourceError)
  })

  test('a refused URL does not show its password', () => {
    expect(() => parseRepoUrl('ftp://user:hunter2@host/x')).toThrow(/^(?!.*hunter2)/)
  })
})

describe('sameness', () => {
  test.each([
    ['https://github.com/Org/Repo.git', 'git@github.com:org/repo'],
    ['ssh://git@github.com:22/org/repo.git', 'https://token@github.com/org/repo/'],
    ['http://git.example.com:8080/a/b', 'https://git.example.com/a/b.git'],
    ['/srv/git/shop', 'file:///srv/git/shop'],
  ])('%s is %s', (a, b) => {
    expect(isSameRepository(a, b)).toBe(true)
  })

  test('other paths and hosts differ', () => {
    expect(isSameRepository('https://github.com/a/b', 'https://github.com/a/c')).toBe(false)
    expect(isSameRepository('https://github.com/a/b', 'https://gitlab.com/a/b')).toBe(false)
  })

  test('mirrors of different ports are kept apart', () => {
    expect(exactKey(parseRepoUrl('http://h:1/r.git'))).not.toBe(exactKey(parseRepoUrl('http://h:2/r.git')))
    expect(looseKey('http://h:1/r.git')).toBe(looseKey('http://h:2/r.git'))
  })
})

test('texts lose credentials', () => {
  expect(withoutCredentials('https://u:p@h/x')).toBe('https://h/x')
  expect(scrub('GET https://u:secret@h/x failed, sent secret', ['secret'])).toBe('GET https://h/x failed, sent ***')
})
