import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { environmentCredentials } from './environment-credentials.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeostat-credentials-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Variables without their common beginning. */
const read = (variables: Readonly<Record<string, string>>) =>
  environmentCredentials(
    Object.fromEntries(Object.entries(variables).map(([name, value]) => [`HOMEOSTAT_REPO_${name}`, value])),
  )

const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n'

describe('credentials of the environment', () => {
  const given = read({
    URL: 'https://git.example.com',
    TOKEN: 't0',
    TEAM_A_URL: 'https://git.example.com/team-a/',
    TEAM_A_USERNAME: 'ann',
    TEAM_A_PASSWORD: 'p1',
    BB_URL: 'https://bb.example.com:8443/scm',
    BB_BEARER_TOKEN: 'b2',
    SSH_URL: 'git@git.example.com:team',
    SSH_SSH_KEY: key,
    CHARTS_URL: 'oci://registry.example.com/charts',
    CHARTS_TOKEN: 'c3',
  })

  test.each([
    ['https://git.example.com/shop.git', { username: 'x-access-token', password: 't0' }],
    ['https://git.example.com/team-a/shop', { username: 'ann', password: 'p1' }],
    ['https://git.example.com/team-abc/shop', { username: 'x-access-token', password: 't0' }],
    ['https://bb.example.com:8443/scm/shop.git', { bearerToken: 'b2' }],
    ['ssh://git@git.example.com/team/shop.git', { sshPrivateKey: key.trimEnd() }],
    ['registry.example.com/charts', { username: 'x-access-token', password: 'c3' }],
  ])('%s is shown those of the longest URL that it is below', (url, credentials) => {
    expect(given.faults).toEqual([])
    const { sshPrivateKey, ...found } = given.of(url, false) ?? {}
    expect(sshPrivateKey === undefined ? found : { sshPrivateKey: sshPrivateKey.trimEnd() }).toEqual(credentials)
  })

  test.each([
    'http://git.example.com/shop.git',
    'https://git.example.com:444/shop.git',
    'https://git.example.com.evil.test/shop.git',
    'https://git.example.com@evil.test/shop.git',
    'https://evil.test/https://git.example.com/shop.git',
    'https://bb.example.com/scm/shop.git',
    'https://bb.example.com:8443/scmx/shop.git',
    'ssh://git@git.example.com/other/shop.git',
    'registry.example.com/other',
    '/srv/git.example.com/shop',
  ])('%s is shown nothing', (url) => {
    expect(given.of(url, true)).toBeUndefined()
  })

  test.each(['ssh://git@git.example.com', 'git@git.example.com:', 'git@git.example.com:/'])(
    '%s is all of a host',
    (url) => {
      const whole = read({ URL: url, SSH_KEY: key })
      expect(whole.faults).toEqual([])
      expect(whole.of('git@git.example.com:team/shop.git', false)).toEqual({ sshPrivateKey: key })
      expect(whole.of('git@git.example.com.evil.test:team/shop.git', false)).toBeUndefined()
    },
  )

  test('without a URL are for what was named alone', () => {
    const named = read({ TOKEN: 't', USERNAME: 'gitlab-ci-token' })
    expect(named.faults).toEqual([])
    expect(named.of('https://git.example.com/shop', true)).toEqual({ username: 'gitlab-ci-token', password: 't' })
    expect(named.of('https://git.example.com/shop', false)).toBeUndefined()
    // A token is no key of ssh.
    expect(named.of('ssh://git@git.example.com/shop', true)).toBeUndefined()
  })

  test('with a depth say how much of history is fetched, by themselves or with a token', () => {
    const set = read({
      URL: 'https://git.example.com',
      TOKEN: 't0',
      BIG_URL: 'https://git.example.com/big',
      BIG_DEPTH: '1',
      KEYS_URL: 'git@git.example.com:',
      KEYS_SSH_KEY: key,
      KEYS_DEPTH: '5',
    })
    expect(set.faults).toEqual([])
    expect(set.depth('https://git.example.com/big/shop', false)).toBe('1')
    // The longest URL that says a token is another one.
    expect(set.of('https://git.example.com/big/shop', false)).toMatchObject({ password: 't0' })
    expect(set.depth('https://git.example.com/shop', true)).toBeUndefined()
    expect(set.depth('git@git.example.com:team/shop', false)).toBe('5')
    const named = read({ DEPTH: '3' })
    expect(named.faults).toEqual([])
    expect([true, false].map((isNamed) => named.depth('https://git.example.com/a', isNamed))).toEqual(['3', undefined])
  })

  test('of files are read anew at each use', () => {
    const path = join(folder, 'token')
    writeFileSync(path, 'first\n')
    const filed = read({ URL: 'https://git.example.com', TOKEN_FILE: path })
    writeFileSync(path, 'second\n')
    expect(filed.of('https://git.example.com/shop', false)).toMatchObject({ password: 'second' })
    rmSync(path)
    expect(() => filed.of('https://git.example.com/shop', false)).toThrow(`HOMEOSTAT_REPO_TOKEN_FILE: ${path}: ENOENT`)
  })

  test('that are empty are none: CI gives those to pull requests from forks', () => {
    const empty = read({ URL: 'https://git.example.com', TOKEN: '', USERNAME: 'me', SSH_KEY: '' })
    expect(empty.faults).toEqual([])
    expect(empty.of('https://git.example.com/shop', true)).toBeUndefined()
  })
})

describe('what is wrong with them is told by name, never by value', () => {
  const s = 'sentinel-4711'
  test.each([
    [{ PASWORD: s }, 'HOMEOSTAT_REPO_PASWORD: no such variable'],
    [{ USERNAME_FILE: s }, 'HOMEOSTAT_REPO_USERNAME_FILE: no such variable'],
    [{ URL: 'https://a.test' }, 'HOMEOSTAT_REPO_URL: set HOMEOSTAT_REPO_PASSWORD, HOMEOSTAT_REPO_TOKEN'],
    [{ USERNAME: s }, 'HOMEOSTAT_REPO_USERNAME: set '],
    [{ DEPTH_FILE: s }, 'HOMEOSTAT_REPO_DEPTH_FILE: no such variable'],
    [{ DEPTH: s }, 'HOMEOSTAT_REPO_DEPTH: it is no whole number'],
    [{ DEPTH: '1', USERNAME: s }, 'HOMEOSTAT_REPO_USERNAME: set '],
    [{ TEAM_DEPTH: '1' }, 'HOMEOSTAT_REPO_TEAM_DEPTH: set HOMEOSTAT_REPO_TEAM_URL too: what it is for'],
    [{ URL: '/srv/shop', DEPTH: '1' }, 'HOMEOSTAT_REPO_URL: it must name what is not on this machine'],
    [{ TEAM_TOKEN: s }, 'HOMEOSTAT_REPO_TEAM_TOKEN: set HOMEOSTAT_REPO_TEAM_URL too'],
    [{ URL: 'https://a.test', TOKEN: s, PASSWORD: s }, 'HOMEOSTAT_REPO_TOKEN: HOMEOSTAT_REPO_PASSWORD is set too'],
    [
      { URL: 'https://a.test', TOKEN: s, TOKEN_FILE: '/x' },
      'HOMEOSTAT_REPO_TOKEN_FILE: HOMEOSTAT_REPO_TOKEN is set too',
    ],
    [{ URL: `https://me:${s}@`, TOKEN: s }, 'HOMEOSTAT_REPO_URL: '],
    [{ URL: '/srv/shop', TOKEN: s }, 'HOMEOSTAT_REPO_URL: it must name what is not on this machine'],
    [{ URL: 'git@a.test:shop', TOKEN: s }, 'HOMEOSTAT_REPO_URL: an ssh address is opened by SSH_KEY'],
    [{ URL: 'https://a.test', SSH_KEY: key }, 'HOMEOSTAT_REPO_SSH_KEY: it is for ssh'],
    [{ URL: 'git@a.test:shop', SSH_KEY: s }, 'HOMEOSTAT_REPO_SSH_KEY: it is no private key'],
    [{ URL: 'https://a.test', TOKEN: `${s}\n${s}` }, 'HOMEOSTAT_REPO_TOKEN: it has more than one line'],
    [{ TOKEN_FILE: '/nonexistent/x' }, 'HOMEOSTAT_REPO_TOKEN_FILE: /nonexistent/x: ENOENT'],
    [{ URL: 'https://a.test', TOKEN_FILE: '/nonexistent/x' }, 'HOMEOSTAT_REPO_TOKEN_FILE: /nonexistent/x: ENOENT'],
    [
      { URL: 'https://a.test', TOKEN: s, B_URL: 'https://A.test/', B_TOKEN: s },
      'HOMEOSTAT_REPO_B_URL: HOMEOSTAT_REPO_URL is the same',
    ],
  ])('%j', (variables: Readonly<Record<string, string>>, fault) => {
    const { faults } = read(variables)
    expect(faults.join('\n')).toContain(fault)
    expect(faults.join('\n')).not.toContain(s)
  })
})
