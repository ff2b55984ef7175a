import { describe, expect, it } from 'vitest'
import {
  byteLength,
  configMapKey,
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  envVarName,
  httpHeaderName,
  labelValue,
  pathSegment,
  percent,
  portName,
  portNumber,
  qualifiedName,
  wildcardSubdomain,
} from './formats.ts'

type Check = (text: string) => readonly string[]

describe('takes', () => {
  it.each<[string, Check, readonly string[]]>([
    ['qualified names', qualifiedName, ['a', 'A_b.c', 'example.com/a', `${'a'.repeat(250)}.io/b`]],
    ['values of labels', labelValue, ['', 'a', 'A.b_c-1', 'x'.repeat(63)]],
    ['labels', dnsLabel, ['a', '1', 'a-b', 'a'.repeat(63)]],
    ['subdomains', dnsSubdomain, ['a', 'a.b', '1-2.c']],
    ['labels that begin with a letter', dnsLabel1035, ['a', 'a1', 'a-b']],
    ['wildcards', wildcardSubdomain, ['*.a', '*.a.example.com']],
    ['path segments', pathSegment, ['a', 'A:b', 'system:node']],
    ['names of variables', envVarName, ['A', 'a.b', '1', 'a b']],
    ['keys of ConfigMaps', configMapKey, ['a', '.a', 'A_b-c.d']],
    ['names of headers', httpHeaderName, ['X-A', 'a1']],
    ['percentages', percent, ['1%', '200%']],
    ['names of ports', portName, ['http', 'a1', '1a']],
  ])('%s', (_what, check, texts) => {
    for (const text of texts) expect(check(text)).toEqual([])
  })
})

describe('refuses', () => {
  it.each<[Check, string, readonly (string | RegExp)[]]>([
    [qualifiedName, '', ['name part must be non-empty', /^name part must consist of/]],
    [qualifiedName, '/a', ['prefix part must be non-empty']],
    [qualifiedName, 'a/b/c', [/^a qualified name must consist of/]],
    [qualifiedName, 'A/b', [/^prefix part a lowercase RFC 1123 subdomain/]],
    [qualifiedName, 'x'.repeat(64), ['name part must be no more than 63 characters']],
    [labelValue, '-a', [/^a valid label must be an empty string or consist of/]],
    [dnsLabel, 'a.b', ['must not contain dots']],
    [dnsLabel, 'A', [/^a lowercase RFC 1123 label must consist of/]],
    [dnsSubdomain, `${'a'.repeat(254)}`, ['must be no more than 253 characters']],
    [dnsLabel1035, '1a', [/^a DNS-1035 label must consist of/]],
    [wildcardSubdomain, 'a.example.com', [/^a wildcard DNS-1123 subdomain must start with/]],
    [pathSegment, '..', ["may not be '..'"]],
    [pathSegment, 'a/%b', ["may not contain '/'", "may not contain '%'"]],
    [envVarName, 'a=b', [/^a valid environment variable name must consist only of printable ASCII/]],
    [configMapKey, '..a', ["must not start with '..'"]],
    [configMapKey, '..', ["must not be '..'"]],
    [portName, 'A', [/alpha-numeric/, /at least one letter/]],
    [portName, '-a--b-', [/consecutive hyphens/, /begin or end with a hyphen/]],
    [portName, 'way-too-long-name', ['must be no more than 15 characters']],
  ])('%o %s', (check, text, expected) => {
    const faults = check(text)
    expect(faults).toHaveLength(expected.length)
    expected.forEach((one, i) => {
      if (typeof one === 'string') expect(faults[i]).toBe(one)
      else expect(faults[i]).toMatch(one)
    })
  })

  it('ports outside 1 to 65535', () => {
    expect(portNumber(0)).toEqual(['must be between 1 and 65535, inclusive'])
    expect(portNumber(65536)).toHaveLength(1)
    expect(portNumber(65535)).toEqual([])
  })
})

it('counts UTF-8 bytes', () => {
  for (const text of ['', 'abc', 'ä', '€', '😀', 'a😀b']) expect(byteLength(text)).toBe(Buffer.byteLength(text))
})
