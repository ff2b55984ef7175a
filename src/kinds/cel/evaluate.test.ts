// What expressions give, and why they cannot, in the words of cel-go.

import { expect, it } from 'vitest'
import { compileCel } from './compile.ts'
import { dynamic, environmentOf } from './environment.ts'

const environment = environmentOf(dynamic('d'), { isStored: true, hasBindings: true })
const d = { text: 'abc', count: 3n, list: [1n, 2n], map: { a: 1n }, nothing: null }

function outcome(expression: string): unknown {
  const compiled = compileCel(expression, environment)
  if (!compiled.ok) return compiled.faults
  try {
    return compiled.program.evaluate({ d })
  } catch (error) {
    return `error: ${(error as Error).message}`
  }
}

it.each<[string, string]>([
  ['d.none', 'no such key: none'],
  ['d.map["b"]', 'no such key: b'],
  ['d.text.x', 'no such key: x'],
  ['d.nothing.x', 'no such key: x'],
  ['d.list.x', "unsupported index type 'string' in list"],
  ['has(d.list.x)', "unsupported index type 'string' in list"],
  ['has(d.none.x)', 'no such key: none'],
  ['d.list[2]', 'index out of bounds: 2'],
  ['d.list[-1]', 'index out of bounds: -1'],
  ['d.list[d.text]', "unsupported index type 'string' in list"],
  ['d.list[1.5]', 'unsupported index value 1.5 in list'],
  ['1 / (d.count - 3)', 'division by zero'],
  ['1 % (d.count - 3)', 'modulus by zero'],
  ['9223372036854775807 + d.count', 'integer overflow'],
  ['0u - 1u', 'unsigned integer overflow'],
  ['d.text + d.count', 'no such overload'],
  ['d.map + d.count', 'no such overload: _+_'],
  ['d.count < d.text', 'no such overload'],
  ['d.count.startsWith("a")', 'no such overload: startsWith(int, string)'],
  ['size(d.count)', 'no such overload: size(int)'],
  ['d.text && true', 'no such overload'],
  ['d.text ? 1 : 2', 'no such overload'],
  ['d.list.all(x, x)', 'no such overload'],
  ['d.count.exists(x, x)', 'no such overload'],
  ['d.text in d.count', 'no such overload'],
  ['int(d.text)', "type conversion error from 'string' to 'int'"],
  ['int(1e20)', 'integer overflow'],
  ['duration(d.text)', "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ['timestamp("2024-01-01t00:00:00Z".trim())', "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  ['double("1e400")', "type conversion error from 'string' to 'double'"],
  ['timestamp(d.text)', "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  ['string(b"\\xff")', 'invalid UTF-8 in bytes, cannot convert to string'],
  ['double("NaN") < 1.0', 'NaN values cannot be ordered'],
  ['dyn(1) >= double("NaN")', 'NaN values cannot be ordered'],
  ['{?"a": d.count}', "cannot initialize optional entry 'a' from non-optional value 3"],
  ['optional.none().value()', 'optional.none() dereference'],
  ['d.text.substring(4)', 'index out of range: 4'],
  ['d.text.substring(2, 1)', 'invalid substring range. start: 2, end: 1'],
  ['d.text.charAt(9)', 'index out of range: 9'],
  ['d.list.map(x, x == 1 ? dyn("a") : dyn(x)).sortBy(x, x)', 'list elements must have the same type'],
  ['[].max() == 1', 'max called on empty list'],
  ['d.text.matches(d.text + "[")', 'error parsing regexp: missing closing ]: `[`'],
  ['d.text.find(d.text + "[") == ""', 'Illegal regex: error parsing regexp: missing closing ]: `[`'],
  ['"%d".format([d.text])', 'error during formatting: decimal clause can only be used on integers, was given string'],
  ['"%s %s".format([d.text])', 'index 1 out of range'],
  [
    'quantity(d.text).isInteger()',
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    'd.map.transformMapEntry(k, v, {"x": v, k: v}).transformMapEntry(k, v, {"y": v})',
    'insert failed: key y already exists',
  ],
  [
    'ip(d.text).family()',
    'IP Address "abc" parse error during conversion from string: ParseAddr("abc"): unable to parse IP',
  ],
])('%s cannot be evaluated: %s', (expression, text) => {
  expect(outcome(expression)).toBe(`error: ${text}`)
})

it.each([
  // What decides without the rest.
  'd.none == 1 || true',
  '!(d.none == 1 && false)',
  '[0, 1].exists(x, 1 / x == 1)',
  '![dyn("a"), 0].all(x, x > 1 && x < 0)',
  // Numbers of several types.
  'dyn(1) == 1.0 && dyn(1u) == 1 && 2u > 1.5 && dyn(1) in [1.0] && dyn(1) != "1"',
  '7 / -2 == -3 && -7 % 2 == -1 && double(7) / 2.0 == 3.5',
  '{1: "a"}[1] == "a" && {1: "a"}[dyn(1u)] == "a"',
  'dyn(9223372036854775807) == 9223372036854775808.0 && !(9223372036854775807 < 9223372036854775808.0)',
  'dyn(18446744073709551615u) == 18446744073709551616.0 && 9007199254740993 > 9007199254740992',
  'double("NaN") != double("NaN") && dyn(1) != double("NaN")',
  // Keys of maps keep their types, and are found by numbers of others; the last value of a key counts.
  '{1u: 2}.all(k, type(k) == uint) && {1u: 2}.transformMap(k, v, v).all(k, type(k) == uint) && {1.5: 2}[1.5] == 2',
  '{1u: 2}[dyn(1)] == 2 && {1: 2}[dyn(1.0)] == 2 && dyn(1e18) in {1000000000000000000: 2} && {1u: 2} == dyn({1: 2})',
  '!(dyn(1.5) in {1: 2}) && !(dyn(1e300) in {1: 2}) && !(dyn("1") in {1: 2}) && [7][dyn(0.0)] == 7 && [7][dyn(0u)] == 7',
  '{"a": 1, "a": 2} == {"a": 2} && {"a": 1, ?"a": d.?none}.size() == 0',
  // Types.
  'type(d.text) == string && type([]) == list && type({}) == map && type(null) == null_type && type(1u) == uint',
  'type(type(1)) == type && type(timestamp("2024-01-01T00:00:00Z")) == google.protobuf.Timestamp',
  // Texts count letters.
  '"aüb".size() == 3 && "aüb".charAt(1) == "ü" && "aüb".indexOf("b") == 2 && "aüb".substring(1, 2) == "ü"',
  '"a,b,c".split(",", 2) == ["a", "b,c"] && "abc".split("") == ["a", "b", "c"] && ["a", "b"].join("-") == "a-b"',
  '" x\t".trim() == "x" && "aXÜ".lowerAscii() == "axÜ" && "axü".upperAscii() == "AXü"',
  '"abcabc".lastIndexOf("b") == 4 && "abcabc".lastIndexOf("b", 3) == 1 && "abc".indexOf("", 2) == 2',
  '"aaa".replace("a", "b", 2) == "bba" && "ab".replace("", "-") == "-a-b-"',
  '"%x %X %o %b".format([255, 255, 8, 5]) == "ff FF 10 101"',
  'string(1.0) == "1" && string(1e21) == "1e+21" && string(0.1) == "0.1" && string(-1) == "-1" && string(1u) == "1"',
  'double("1.5") == 1.5 && int("-7") == -7 && uint("7") == 7u && bool("true")',
  // Time.
  'duration("1h30m").getMinutes() == 90 && string(duration("1.5s")) == "1.5s" && duration("90m") == duration("1h30m")',
  'timestamp("2024-02-29T12:30:45.5Z").getDayOfYear() == 59 && timestamp("2024-02-29T00:00:00Z").getDayOfWeek() == 4',
  'timestamp("2024-01-01T00:00:00Z") + duration("36h") == timestamp("2024-01-02T12:00:00Z")',
  'timestamp("2024-01-01T23:00:00Z").getHours("+02:00") == 1 && timestamp("2024-07-01T00:00:00Z").getHours("Europe/Berlin") == 2',
  // An instant keeps the zone in which it was written for its text alone.
  'string(timestamp("2024-01-01T01:00:00+01:00")) == "2024-01-01T01:00:00+01:00" && int(timestamp(10)) == 10',
  'string(timestamp("2024-01-01T01:00:00.5-02:30") + duration("1h")) == "2024-01-01T02:00:00.5-02:30"',
  'timestamp("2024-01-01T01:00:00+01:00") == timestamp("2024-01-01T00:00:00Z") && timestamp("2024-01-01T01:00:00+01:00").getHours() == 0',
  'string(timestamp("2024-01-01T00:00:00-00:00")) == "2024-01-01T00:00:00Z"',
  // Texts of durations are of doubles.
  'string(duration("2562047h47m16.854775807s")) == "9223372036.854776s" && string(duration("1ns")) == "0.000000001s"',
  // What may be missing.
  'has(d.map.a) && !has(d.map.b) && !has(d.nothing.x) && !has(d.text.x) && !has(d.count.x) && has(d.nothing)',
  'd.?map.?a.orValue(0) == 1 && !d.?map.?b.hasValue() && d.?none.?a.or(optional.of(2)).value() == 2',
  'd.list[?1].orValue(0) == 2 && d.list[?5] == optional.none() && [?d.?none, ?d.?count] == [3]',
  '{"a": 1, ?"b": d.?none} == {"a": 1} && has(d.?map.a) && optional.ofNonZeroValue("") == optional.none()',
  'd.?count.optMap(x, x + 1).value() == 4 && d.?map.optFlatMap(m, m.?a).value() == 1 && [1, 2].last().value() == 2',
  'optional.unwrap([optional.of(1), optional.none()]) == [1] && [optional.of(1)].unwrapOpt() == [1]',
  // Loops.
  '[3, 1, 2].sortBy(x, -x) == [3, 2, 1] && cel.bind(x, d.count * 2, x + x) == 12',
  '[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6] && [1, 2, 3].map(x, x > 1, x * 2) == [4, 6]',
  '{"b": 1, "a": 2}.map(k, k).size() == 2 && {"a": 1}.all(k, k == "a") && [1, 2].exists_one(x, x == 1)',
  '[1].map(x, [2].map(y, [x, y])) == [[[1, 2]]] && [[1], [2]].all(l, l.exists(x, x > 0))',
  '"b1b22".findAll("[0-9]+") == ["1", "22"] && "b1b22".findAll("[0-9]+", 1) == ["1"]',
  // Kubernetes' own.
  'url("https://[::1]:80/a%20b?x=1").getHostname() == "::1" && url("https://h:443/").getHost() == "h:443"',
  '!isURL("https://h:x/") && !isURL("../a") && isURL("/a/b") && url("https://h/a b").getEscapedPath() == "/a%20b"',
  'sign(quantity("-1")) == -1 && quantity("1.5").sub(1) == quantity("500m") && quantity("2").asInteger() == 2',
  '!isIP("::ffff:1.2.3.4") && !isIP("fe80::1%eth0") && !isIP("010.0.0.1") && !isCIDR("10.0.0.0/033")',
  'cidr("10.0.0.0/8").prefixLength() == 8 && cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8") && cidr("10.0.0.0/8").containsIP("10.9.9.9")',
])('%s holds', (expression) => {
  expect(outcome(expression)).toBe(true)
})
