import { describe, expect, it } from 'vitest'
import { isNestedTooDeeply, maxNesting } from './nesting.ts'
import type { Json } from './object.ts'
import { jsonPatch } from './patch/json-patch.ts'
import { parseJson } from './text/json.ts'
import { parseYaml } from './text/yaml.ts'

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const block = (levels: number): string =>
  Array.from({ length: levels }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')
const aliases = (levels: number): string =>
  `l0: &l0 [x]\n${Array.from({ length: levels }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}]`).join('\n')}`

describe('nesting', () => {
  it('is bounded in every text that is read', () => {
    expect(isNestedTooDeeply(parseJson(lists(maxNesting)).value)).toBe(false)
    expect(() => parseJson(lists(maxNesting + 1))).toThrow('exceeded max depth')
    expect(() => parseJson('{"a":'.repeat(100_000))).toThrow('exceeded max depth')
    expect(isNestedTooDeeply(parseYaml(lists(maxNesting)).value)).toBe(false)
    for (const text of [
      lists(maxNesting + 1),
      lists(100_000),
      '['.repeat(100_000),
      block(600),
      block(5000),
      aliases(600),
    ])
      expect(() => parseYaml(text), text.slice(0, 20)).toThrow('yaml: exceeded max depth')
  })

  it('is bounded in what a JSON patch makes', () => {
    const deep = parseJson(lists(400)).value
    const add = (path: string, value: Json) => ({ op: 'add', path, value })
    expect(() => jsonPatch({}, [add(`/a`, deep), add(`/a${'/0'.repeat(399)}/0`, deep)])).toThrow('exceeded max depth')
    expect(() => jsonPatch({ a: deep }, [{ op: 'copy', from: '/a', path: `/a${'/0'.repeat(399)}/0` }])).toThrow(
      'exceeded max depth',
    )
    expect(() => jsonPatch({}, [add(`/a${'/0'.repeat(10_000)}`, 1)])).toThrow('exceeded max depth')
    const into = { op: 'move', from: '/b', path: `/a${'/0'.repeat(399)}/0` }
    expect(() => jsonPatch({ a: deep, b: deep }, [into])).toThrow('exceeded max depth')
  })

  it('copies of a JSON patch cannot double an object without end', () => {
    const copies = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
    expect(() => jsonPatch({ a: ['x'] }, copies)).toThrow(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    )
  })
})
