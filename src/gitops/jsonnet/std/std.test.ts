import { describe, expect, test } from 'vitest'
import { documentsOf, type Program } from '../index.ts'

function evaluated(text: string): unknown {
  const program: Program = {
    main: 'main.jsonnet',
    files: new Map([['main.jsonnet', Buffer.from(`{ v: ${text} }`)]]),
    target: () => ({ problem: 'nothing' }),
    extVars: [],
    tlas: [],
  }
  const readers = { yaml: (yaml: string) => ({ documents: [{ yaml }], isStream: false }) }
  const [document = 'null'] = documentsOf(program, { readers, limits: { steps: 1_000_000 } })
  return (JSON.parse(document) as { v: unknown }).v
}

const table = (rows: readonly (readonly [text: string, value: unknown])[]): void => {
  test.each(rows)('%s', (text, value) => {
    expect(evaluated(text)).toEqual(value)
  })
}

describe('texts', () => {
  table([
    ['std.split("a,b,c", ",")', ['a', 'b', 'c']],
    ['std.splitLimit("a,b,c", ",", 1)', ['a', 'b,c']],
    ['std.splitLimitR("a,b,c", ",", 1)', ['a,b', 'c']],
    ['std.strReplace("aXbX", "X", "--")', 'a--b--'],
    ['std.substr("hello", 1, 3)', 'ell'],
    ['std.stripChars("  a b ", " ")', 'a b'],
    ['std.lstripChars("aab", "a") + std.rstripChars("baa", "a")', 'bb'],
    ['std.trim("\\t a\\n")', 'a'],
    ['std.startsWith("abc", "ab") && std.endsWith("abc", "bc")', true],
    ['std.asciiUpper("aé") + std.asciiLower("AÉ")', 'AéaÉ'],
    ['std.findSubstr("a", "😀abca")', [1, 4]],
    ['std.codepoint("😀")', 0x1f600],
    ['std.char(233)', 'é'],
    ['std.parseInt("-12") + std.parseHex("fF") + std.parseOctal("17")', 258],
    ['std.escapeStringBash("it\'s")', "'it'\"'\"'s'"],
    ['std.escapeStringXML("<a>")', '&lt;a&gt;'],
    ['std.format("%5.2f|%-5s|%+d|%x|%e", [3.14159, "ab", 5, 255, 12345.678])', ' 3.14|ab   |+5|ff|1.234568e+04'],
    ['"%g %g %c" % [0.00012345, 100000, "x"]', '0.00012 100000 x'],
  ])
})

describe('arrays and sets', () => {
  table([
    ['std.map(function(x) x * 2, [1, 2])', [2, 4]],
    ['std.mapWithIndex(function(i, x) i + x, ["a"])', ['0a']],
    ['std.filterMap(function(x) x > 1, function(x) -x, [1, 2, 3])', [-2, -3]],
    ['std.flatMap(function(x) [x, x], [1, 2])', [1, 1, 2, 2]],
    ['std.foldl(function(a, x) a + x, "abc", "") + std.foldr(function(x, a) a + x, "abc", "")', 'abccba'],
    ['std.join(", ", ["a", null, "b"])', 'a, b'],
    ['std.flattenDeepArray([1, [2, [3, []]]])', [1, 2, 3]],
    ['std.sort([3, 1, 2]) + std.sort(["b", "a"], function(x) x)', [1, 2, 3, 'a', 'b']],
    ['std.uniq([1, 1, 2]) + std.set([2, 1, 2])', [1, 2, 1, 2]],
    ['[std.setUnion([1, 2], [2, 3]), std.setInter([1, 2], [2, 3]), std.setDiff([1, 2], [2])]', [[1, 2, 3], [2], [1]]],
    ['std.setMember("b", ["a", "b"])', true],
    ['[std.minArray([3, 1]), std.maxArray([], onEmpty="none")]', [1, 'none']],
    ['[std.sum([1, 2]), std.avg([1, 2]), std.count([1, 1], 1), std.member("abc", "b")]', [3, 1.5, 2, true]],
    ['std.slice("abcdef", 1, 5, 2) + std.reverse([1, 2])', 'bd[2, 1]'],
    ['std.all([true, 1 == 1]) && !std.any([])', true],
    ['std.removeAt(std.remove([1, 2, 3], 2), 0)', [3]],
    ['std.repeat([1], 2) + std.range(3, 4)', [1, 1, 3, 4]],
  ])
})

describe('objects', () => {
  table([
    ['std.mergePatch({ a: 1, b: { c: 2, d: 3 } }, { a: null, b: { c: 4 } })', { b: { c: 4, d: 3 } }],
    ['std.prune({ a: null, b: [], c: { d: {} }, e: [0, null] })', { e: [0] }],
    ['std.objectFields({ b: 1, a:: 2 }) + std.objectFieldsAll({ b: 1, a:: 2 })', ['b', 'a', 'b']],
    ['[std.objectHas({ a:: 1 }, "a"), std.objectHasAll({ a:: 1 }, "a")]', [false, true]],
    ['std.objectKeysValues({ a: 1 })', [{ key: 'a', value: 1 }]],
    ['std.mapWithKey(function(k, v) k + v, { a: 1 })', { a: 'a1' }],
    ['[std.get({ a: 1 }, "a"), std.get({}, "a", 2), std.get({ a:: 1 }, "a", 3, false)]', [1, 2, 3]],
    [
      '[std.type(x) for x in [null, 1, "", true, [], {}, function() 1]]',
      ['null', 'number', 'string', 'boolean', 'array', 'object', 'function'],
    ],
    ['std.length(std.objectFields(std)) + std.length(std)', 0],
  ])
})

describe('numbers', () => {
  table([
    [
      '[std.pow(2, 10), std.sqrt(9), std.floor(-1.5), std.ceil(1.2), std.round(2.5), std.abs(-1)]',
      [1024, 3, -2, 2, 3, 1],
    ],
    ['[std.mantissa(8), std.exponent(8)]', [0.5, 4]],
    ['[std.clamp(5, 0, 3), std.max(1, 2), std.min(1, 2), std.sign(-3)]', [3, 2, 1, -1]],
    ['[std.isEven(2), std.isOdd(3), std.isInteger(1.5), std.xor(true, false)]', [true, true, false, true]],
    ['"" + 0.1 + " " + 1e21 + " " + 1e-7', '0.10000000000000001 1000000000000000000000 9.9999999999999995e-08'],
  ])
})

describe('documents', () => {
  const value = '{ a: [1, { b: "x: y" }], c: { d: null, e: [] }, f: "one\\ntwo\\n" }'
  table([
    [
      `std.manifestYamlDoc(${value}, quote_keys=false)`,
      'a:\n- 1\n- b: "x: y"\nc:\n  d: null\n  e: []\nf: |\n  one\n  two',
    ],
    [`std.manifestYamlDoc({ a: [1] }, true)`, '"a":\n  - 1'],
    ['std.manifestYamlStream([{ a: 1 }, 2], c_document_end=false)', '---\n"a": 1\n---\n2\n'],
    [
      'std.manifestYamlDoc({ [k]: 0 for k in ["on", "1e5", "0x1", "a.b/c", "2020-01-01"] }, quote_keys=false)',
      '"0x1": 0\n"1e5": 0\n"2020-01-01": 0\na.b/c: 0\n"on": 0',
    ],
    ['std.manifestJsonMinified({ a: [0.1, "\\u0001"] })', '{"a":[0.1,"\\u0001"]}'],
    ['std.manifestJsonEx({ a: [], b: {} }, "  ")', '{\n  "a": [\n\n  ],\n  "b": {\n\n  }\n}'],
    [
      'std.manifestTomlEx({ a: 1, b: { c: [1, 2], "d e": "x" }, f: [{ g: true }] }, "  ")',
      'a = 1\n\n[b]\n  c = [\n    1,\n    2\n  ]\n  "d e" = "x"\n\n[[f]]\n  g = true',
    ],
    ['std.manifestIni({ main: { a: 1 }, sections: { s: { b: ["x", "y"] } } })', 'a = 1\n[s]\nb = x\nb = y\n'],
    ['std.manifestPython({ a: [true, null] })', '{"a": [True, None]}'],
    ['std.manifestXmlJsonml(["a", { b: "c" }, "t", ["d"]])', '<a b="c">t<d></d></a>'],
    ['std.parseJson(\'{"a": [1, null]}\')', { a: [1, null] }],
    ['std.parseYaml("a: 1")', { yaml: 'a: 1' }],
    ['std.base64("aé") + std.base64Decode("YQ==")', 'YcOpa'],
    ['std.base64DecodeBytes(std.base64([1, 2]))', [1, 2]],
    ['std.decodeUTF8(std.encodeUTF8("é"))', 'é'],
    ['std.md5("a")', '0cc175b9c0f1b6a831c399e269772661'],
    ['std.sha256("a")[0:8] + std.sha3("")[0:8]', 'ca978112a69f73cc'],
  ])
})
