import { describe, expect, test } from 'vitest'
import { defaultHosts, hostFault, mayCall } from './hosts.ts'

const isCalled = (hosts: readonly string[], url: string): boolean => mayCall(hosts, new URL(url))

describe('where webhooks are called', () => {
  test.each([
    'https://localhost:9443/x',
    'https://LOCALHOST./x',
    'https://127.0.0.1/x',
    'https://127.8.9.10:8443/x',
    'https://0x7f.1/x',
    'https://[::1]:9443/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://a.localhost/x',
    'http://127.0.0.1:80/x',
  ])('%s is this machine', (url) => {
    expect(isCalled(defaultHosts, url)).toBe(true)
    expect(isCalled([], url)).toBe(false)
  })

  test.each([
    'https://evil.test/localhost',
    'https://localhost.evil.test/x',
    'https://127.0.0.1.evil.test/x',
    'https://localhost@evil.test/x',
    'https://evil-localhost/x',
    'https://0.0.0.0/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://[fe80::1]/x',
  ])('%s is not', (url) => expect(isCalled(defaultHosts, url)).toBe(false))

  test.each([
    ['hooks.test', 'https://hooks.test/x', true],
    ['HOOKS.test', 'https://hooks.TEST:9443/x', true],
    ['hooks.test', 'https://a.hooks.test/x', false],
    ['hooks.test', 'https://xhooks.test/x', false],
    ['hooks.test:9443', 'https://hooks.test:9443/x', true],
    ['hooks.test:9443', 'https://hooks.test/x', false],
    ['hooks.test:443', 'https://hooks.test/x', true],
    ['.hooks.test', 'https://a.b.hooks.test/x', true],
    ['.hooks.test', 'https://hooks.test/x', false],
    ['.hooks.test', 'https://evilhooks.test/x', false],
    ['[fd00::1]:9443', 'https://[fd00::1]:9443/x', true],
    ['10.0.0.1', 'https://10.0.0.1/x', true],
    ['*', 'https://any.test/x', true],
    ['*:9443', 'https://any.test/x', false],
    ['loopback', 'https://loopback/x', false],
  ])('%s and %s: %s', (host, url, is) => {
    expect(hostFault(host)).toBeUndefined()
    expect(isCalled([host], url)).toBe(is)
  })

  test.each([
    '',
    'https://hooks.test',
    'hooks.test/x',
    'a b',
    '*.hooks.test',
    'hooks.test:0x1',
    'hooks.test:99999',
    'a,b',
  ])('%s names no host', (text) => expect(hostFault(text)).toMatch(/give a host/))
})
