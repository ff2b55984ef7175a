// The functions that Kubernetes' expressions have beside those of the language.

import { describe, expect, it } from 'vitest'
import { compileCel } from './compile.ts'
import { dynamic, environmentOf } from './environment.ts'

const environment = environmentOf(dynamic('self'), { isStored: true })

function evaluated(expression: string, self: unknown = null): unknown {
  const compiled = compileCel(expression, environment)
  if (!compiled.ok) throw new Error(compiled.faults)
  return compiled.program.evaluate({ self })
}

describe('functions of Kubernetes', () => {
  it.each([
    // strings
    ["'hello'.charAt(1) == 'e'"],
    ["'a-b-c'.replace('-', '.') == 'a.b.c'"],
    ["'a-b-c'.replace('-', '.', 1) == 'a.b-c'"],
    ["'%s has %d of %.2f'.format(['x', dyn(3), dyn(1.5)]) == 'x has 3 of 1.50'"],
    ["'%s'.format([['a', dyn(1)]]) == '[\"a\", 1]'"],
    ["'%s %s'.format([{'a': 1}, dyn(1.5)]) == '{\"a\":1} 1.5'"],
    ["'%x'.format([255]) == 'ff'"],
    ['strings.quote(\'a"b\') == \'"a\\\\"b"\''],
    // lists and sets
    ['[3, 1, 2].sort() == [1, 2, 3]'],
    ['[[1], [2, 3]].flatten() == [1, 2, 3]'],
    [
      '[[[1], [2]]].flatten(0) == [[[1], [2]]] && [[[1], [2]]].flatten(1) == [[1], [2]] && [[[1], [2]]].flatten(2) == [1, 2]',
    ],
    [
      '[2.0, double("NaN"), 1.0].sort().size() == 3 && [2.0, double("NaN"), 1.0].isSorted() && [1.0, double("NaN")].max() == 1.0',
    ],
    ['[1, 2, 3].slice(1, 3) == [2, 3]'],
    ['[1, 1, 2].distinct() == [1, 2]'],
    ['lists.range(3) == [0, 1, 2]'],
    ["[{'a': 1}].indexOf({'a': 1}) == 0"],
    ['sets.contains([1, 2, 3], [3, 1])'],
    ['!sets.contains([1, 2], [3])'],
    ['sets.equivalent([1, 2, 2], [2, 1])'],
    ['sets.intersects([1, 2], [2, 3])'],
    // two variables
    ['[1, 2].all(i, v, v == i + 1)'],
    ["{'a': 1}.exists(k, v, k == 'a' && v == 1)"],
    ['[1, 2, 1].existsOne(i, v, v == 2)'],
    ['[1, 2, 3].transformList(i, v, v > 1, v * 10 + i) == [21, 32]'],
    ["{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}"],
    ["{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}"],
    // regular expressions of RE2
    ["'ABC'.matches('^(?i)[a-c]+$') && matches('a1', '[0-9]')"],
    ['["aa", "b"].all(x, x.matches("^[[:alpha:]]+$"))'],
    // what is there
    ['has(self.list[0].name) && !has(self.list[0].other)', { list: [{ name: 'a' }] }],
    ['self.list.all(i, !has(self.list[0].other))', { list: [{ name: 'a' }] }],
    // formats
    ["!format.dns1123Label().validate('a-b').hasValue()"],
    ["format.dns1123Label().validate('A').hasValue()"],
    ["format.named('uuid').value().validate('x').value() == ['does not match the UUID format']"],
    ["!format.named('nothing').hasValue()"],
    // addresses
    ["ip('10.0.0.1').family() == 4 && ip('127.0.0.1').isLoopback() && ip('8.8.8.8').isGlobalUnicast()"],
    ["ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')"],
    ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')"],
    ["string(cidr('192.168.1.5/24').masked()) == '192.168.1.0/24'"],
    ["cidr('192.168.1.5/24').ip() == ip('192.168.1.5')"],
    // URLs
    ["url('https://a.b:80/c?x=1&x=2').getQuery()['x'] == ['1', '2']"],
    ["url('/just/a/path').getScheme() == '' && !isURL('no url')"],
    // quantities
    ["quantity('1').add(2).isInteger() && !quantity('500m').isInteger()"],
    ["quantity('1Ki') == quantity('1024')"],
    // versions
    ["semver('v1.2', true) == semver('1.2.0') && !isSemver('v1.2') && isSemver('v1.2', true)"],
    // numbers of two types
    ['2 > 1.5'],
  ])('%s', (expression: string, self: unknown = null) => {
    expect(evaluated(expression, self)).toBe(true)
  })
})
