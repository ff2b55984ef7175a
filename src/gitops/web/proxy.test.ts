import { expect, test } from 'vitest'
import { proxiesOf, proxyFor } from './proxy.ts'

const proxies = { http: 'http://one:3128', https: 'two:3129' }
const through = (url: string, none = ''): string | undefined => proxyFor(new URL(url), { ...proxies, none })?.host

test('the scheme of what is asked for chooses the proxy', () => {
  expect(through('http://git.example/a')).toBe('one:3128')
  expect(through('https://git.example/a')).toBe('two:3129')
  expect(proxyFor(new URL('https://git.example'), { http: 'http://one:3128' })).toBeUndefined()
})

test.each([
  ['*', 'https://git.example', true],
  ['git.example', 'https://git.example', true],
  ['git.example', 'https://a.git.example', true],
  ['git.example', 'https://agit.example', false],
  ['.example', 'https://git.example', true],
  ['.git.example', 'https://git.example', false],
  ['*.example', 'https://git.example', true],
  ['other, GIT.example', 'https://git.example', true],
  ['git.example:443', 'https://git.example', true],
  ['git.example:8443', 'https://git.example', false],
  ['git.example:8443', 'https://git.example:8443', true],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['fd00::/8', 'https://[fd00::1]', true],
  ['[fd00::1]:443', 'https://[fd00::1]', true],
  ['10.0.0.0/99, ,:,/', 'https://10.1.2.3', false],
])('NO_PROXY %s, %s: direct is %s', (none, url, isDirect) => {
  expect(through(url, none) === undefined).toBe(isDirect)
})

test.each(['http://localhost:80/', 'https://127.0.0.1:9/', 'https://127.9.9.9/', 'http://[::1]/'])(
  '%s is on this machine, and asked directly',
  (url) => {
    expect(through(url)).toBeUndefined()
  },
)

test('variables may be written small; what is empty is not there', () => {
  expect(proxiesOf({ HTTPS_PROXY: 'a', http_proxy: 'b', NO_PROXY: '', no_proxy: 'c' })).toEqual({
    https: 'a',
    http: 'b',
    none: 'c',
  })
})

test.each(['socks5://one:1080', 'http://one:port'])('%s cannot be used, and that is told', (http) => {
  expect(() => proxyFor(new URL('http://git.example'), { http })).toThrow(/proxy/)
})
