import { describe, expect, test } from 'vitest'
import { readManifestFile } from './manifest-file.ts'

const read = (text: string, name = 'a.yaml') => readManifestFile(name, Buffer.from(text))
const objects = (text: string, name?: string) => read(text, name).objects.map((each) => each.object)
const problems = (text: string, name?: string) =>
  read(text, name).problems.map((each) => `${each.line}:${each.column}: ${each.message}`)
const map = (data: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n${data}`

describe('documents', () => {
  test('separators may carry a comment; empty documents are nothing', () => {
    const text = `---\n# only a comment\n---\n${map('')}--- # next\n${map('')}--- \n\n---\n`
    expect(objects(text)).toHaveLength(2)
    expect(read(text).objects.map((each) => each.line)).toEqual([4, 9])
  })

  test('content behind a separator is a fault, and the rest is still read', () => {
    const text = `${map('')}--- {a: b}\n${map('')}`
    expect(objects(text)).toHaveLength(2)
    expect(problems(text)).toEqual(['5:1: invalid Yaml document separator: {a: b}'])
  })

  test('byte order marks and UTF-16', () => {
    expect(objects(`\uFEFF${map('')}`)).toHaveLength(1)
    const utf16 = Buffer.from(`\uFEFF${map('').replaceAll('\n', '\r\n')}---\r\n${map('')}`, 'utf16le')
    expect(readManifestFile('a.yaml', utf16).objects).toHaveLength(2)
    expect(readManifestFile('a.yaml', Uint8Array.from([0x61, 0xff, 0xfe])).problems[0]?.message).toMatch(
      /not valid UTF-8/,
    )
  })

  test('a fault is told by line and column of the file, and other documents are kept', () => {
    const text = `${map('')}---\napiVersion: v1\nkind: Service\nmetadata:\n  name: y\n spec: {\n---\n${map('')}`
    expect(objects(text)).toHaveLength(2)
    expect(read(text).problems).toEqual([expect.objectContaining({ line: 10 })])
  })

  test('a separator inside a quoted text ends the document; an indented one does not', () => {
    expect(objects(map('data:\n  k: |\n    a\n    ---\n    b\n'))).toMatchObject([{ data: { k: 'a\n---\nb\n' } }])
    expect(problems(map('data:\n  k: "a\n---\n  b"\n')).length).toBeGreaterThan(0)
  })
})

describe('values', () => {
  test('anchors, merge keys and an anchor that is named again', () => {
    const text = map('a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\nc:\n  l: 3\n  <<: [*x]\nd: &x other\ne: *x\n')
    expect(objects(text)).toMatchObject([{ b: { k: 1, l: 3 }, c: { k: 1, l: 2 }, d: 'other', e: 'other' }])
  })

  test('of merged maps the first wins', () => {
    expect(objects(map('a: &a {k: 1}\nb: &b {k: 2, m: 3}\nc:\n  <<: [*a, *b]\n'))).toMatchObject([
      { c: { k: 1, m: 3 } },
    ])
  })

  test('keys become strings, the last of equal keys counts', () => {
    const text = map('data:\n  404: a\n  3.14: b\n  true: c\n  on: d\n  k: 1\n  k: 2\n')
    expect(objects(text)).toMatchObject([{ data: { '404': 'a', '3.14': 'b', true: 'd', k: 2 } }])
  })

  test('quoted texts and tags stay what they say', () => {
    const text = map(
      'data:\n  a: "yes"\n  b: \'010\'\n  c: !!str 12\n  d: !!int "12"\n  e: !!binary aGk=\n  f: !custom 5\n',
    )
    expect(objects(text)).toMatchObject([{ data: { a: 'yes', b: '010', c: '12', d: 12, e: 'hi', f: '5' } }])
  })

  test.each([
    ['data: {{placeholder}}\n', /unsupported map key: a collection/],
    ['data:\n  ~: x\n', /unsupported map key: null/],
    ['data:\n  k: .inf\n', /unsupported value: \+Inf/],
    ['data: *nowhere\n', /unknown anchor|nresolved alias/],
    ['data: &x [*x]\n', /contains itself/],
    ['data:\n\tk: v\n', /./],
    ['data:\n  k: \u0007\n', /control characters/],
  ])('%j is a fault', (data, message) => {
    expect(problems(map(data))[0]).toMatch(message)
  })

  test('aliases cannot blow a document up', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`,
    )
    expect(problems(map(`a0: &a0 x\n${levels.join('\n')}\n`))[0]).toMatch(/excessive aliasing/)
  })

  test('deep nesting is a fault, not a crash', () => {
    expect(problems(map(`data: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`))).toHaveLength(1)
  })

  test('a key cannot reach the prototype', () => {
    const [object] = objects(map('data:\n  __proto__: {polluted: true}\n'))
    expect(JSON.stringify(object)).toContain('"__proto__":{"polluted":true}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('manifests', () => {
  test('lists are flattened, typed ones lend their items a kind', () => {
    expect(
      objects('apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n- {apiVersion: v1, kind: Secret}\n'),
    ).toMatchObject([{ kind: 'Pod' }, { kind: 'Secret' }])
    expect(
      objects('apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleList\nitems:\n- {metadata: {name: a}}\n'),
    ).toEqual([{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a' } }])
    expect(objects('apiVersion: v1\nkind: ConfigMapList\nitems: []\n')).toEqual([])
    expect(objects('apiVersion: v1\nkind: ConfigMapList\nitems:\n')).toEqual([])
    expect(objects('apiVersion: v1\nkind: NotAList\nitems:\nspec: {a: b}\n')).toHaveLength(1)
  })

  test('empty annotations and labels vanish, null texts become empty', () => {
    expect(objects(`apiVersion: v1\nkind: Service\nmetadata:\n  name: x\n  annotations:\n  labels:\n    a:\n`)).toEqual(
      [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'x', labels: { a: '' } } }],
    )
  })

  test('texts that were not quoted are told by key', () => {
    expect(problems('apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations: {on-call: yes}\n')).toEqual([
      '1:1: Service/web: metadata.annotations contains non-string value in the map under key "on-call": true must be quoted',
    ])
  })

  test('YAML that is no manifest is skipped, unless it stands with manifests or looks like one', () => {
    expect(read('some: [irrelevant, yaml]\n')).toEqual({ objects: [], problems: [] })
    expect(read('- op: add\n  path: /x\n')).toEqual({ objects: [], problems: [] })
    expect(problems('apiVersion: v1\nkind: ConfigMap\n---\ninvalid:\n')).toEqual(["4:1: Object 'Kind' is missing"])
    expect(problems('apiVersion: v1\nkind: X\nmetadata: {name: {{ .Values.name }}\n').length).toBe(1)
    expect(read(`# +argocd:skip-file-rendering\n${map('data: {{ x }}')}`)).toEqual({ objects: [], problems: [] })
  })

  test.each([
    ['flow', 'a.yaml', `${map('x: ')}${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['flow that the parser can bear', 'a.yaml', `${map('x: ')}${'['.repeat(600)}${']'.repeat(600)}`],
    [
      'block',
      'a.yaml',
      `${map('data:')}${Array.from({ length: 600 }, (_, depth) => `\n${' '.repeat(depth + 1)}a:`).join('')}`,
    ],
    [
      'chain of aliases',
      'a.yaml',
      map(`l0: &l0 [x]\n${Array.from({ length: 600 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}]`).join('\n')}`),
    ],
    ['JSON', 'a.json', `{"apiVersion":"v1","kind":"ConfigMap","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('what is nested without end is refused: %s', (_how, name, text) => {
    expect(problems(text, name)).toEqual([expect.stringMatching(/^1:1: the document is nested too deeply$/)])
  })

  test('a JSON file holds one object', () => {
    expect(objects('{"apiVersion": "v1", "kind": "Pod"}', 'a.json')).toHaveLength(1)
    expect(problems('{"apiVersion": "v1", "kind": "Pod"}\n{}', 'a.json')).toEqual([
      '2:1: Found multiple objects in "a.json". Only single objects are allowed in JSON files.',
    ])
    expect(problems('[', 'a.json')).toEqual(['1:2: Unexpected end of JSON input'])
    expect(problems('{\n  "a": }', 'a.json')[0]).toMatch(/^2:8: Unexpected "}" in JSON/)
    expect(problems('{"name": "not-a-manifest"}', 'package.json')).toEqual(["1:1: Object 'Kind' is missing"])
  })
})
