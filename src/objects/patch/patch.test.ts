import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEqual } from '../equality.ts'
import type { Json } from '../object.ts'
import { type JsonPatchOperation, jsonPatch } from './json-patch.ts'
import { mergePatch } from './merge-patch.ts'
import { mergePatchOf } from './merge-patch-of.ts'

describe('JSON patch', () => {
  const document = { data: { a: '1', b: '2' }, list: ['x', 'y'], 'a/b': { '~': 1 } }

  it.each<[JsonPatchOperation, Json]>([
    [
      { op: 'add', path: '/data/c', value: '3' },
      { ...document, data: { a: '1', b: '2', c: '3' } },
    ],
    [
      { op: 'replace', path: '/data/a', value: '9' },
      { ...document, data: { a: '9', b: '2' } },
    ],
    [
      { op: 'replace', path: '/data/new', value: '9' },
      { ...document, data: { a: '1', b: '2', new: '9' } },
    ],
    [
      { op: 'remove', path: '/data/b' },
      { ...document, data: { a: '1' } },
    ],
    [
      { op: 'replace', path: '/a~1b/~0', value: 2 },
      { ...document, 'a/b': { '~': 2 } },
    ],
    [
      { op: 'add', path: '/list/0', value: 'w' },
      { ...document, list: ['w', 'x', 'y'] },
    ],
    [
      { op: 'add', path: '/list/-', value: 'z' },
      { ...document, list: ['x', 'y', 'z'] },
    ],
    [
      { op: 'add', path: '/list/2', value: 'z' },
      { ...document, list: ['x', 'y', 'z'] },
    ],
    [
      { op: 'remove', path: '/list/-1' },
      { ...document, list: ['x'] },
    ],
    [
      { op: 'replace', path: '/list/1', value: 'q' },
      { ...document, list: ['x', 'q'] },
    ],
    [
      { op: 'move', from: '/data/a', path: '/data/z' },
      { ...document, data: { b: '2', z: '1' } },
    ],
    [
      { op: 'copy', from: '/list/0', path: '/list/-' },
      { ...document, list: ['x', 'y', 'x'] },
    ],
    [{ op: 'test', path: '/data', value: { b: '2', a: '1' } }, document],
    [{ op: 'test', path: '/nothing', value: null }, document],
  ])('%j', (operation, expected) => {
    expect(jsonPatch(document, [operation])).toEqual(expected)
  })

  it.each<[JsonPatchOperation, string]>([
    [
      { op: 'add', path: '/none/z', value: 1 },
      'add operation does not apply: doc is missing path: "/none/z": missing value',
    ],
    [
      { op: 'remove', path: '/data/z' },
      "error in remove for path: '/data/z': Unable to remove nonexistent key: z: missing value",
    ],
    [{ op: 'remove', path: '/list/9' }, 'Unable to access invalid index: 9: invalid index referenced'],
    [{ op: 'add', path: '/list/x', value: 1 }, 'strconv.Atoi: parsing "x": invalid syntax'],
    [{ op: 'test', path: '/data/a', value: '7' }, 'testing value /data/a failed: test failed'],
    [{ op: 'jump', path: '/data' }, 'Unexpected kind: jump'],
    [{ op: 'add', value: 1 }, 'add operation failed to decode path: missing value'],
  ])('%j is refused', (operation, message) => {
    expect(() => jsonPatch(document, [operation])).toThrow(message)
  })

  it('shares what it does not touch', () => {
    const patched = jsonPatch(document, [{ op: 'add', path: '/data/c', value: '3' }]) as typeof document
    expect(patched.list).toBe(document.list)
    expect(document.data).toEqual({ a: '1', b: '2' })
  })
})

describe('merge patch', () => {
  it.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ['x', { a: 1 }, { a: 1 }],
    [{ a: 1 }, ['b'], ['b']],
  ])('%j with %j is %j', (document, patch, expected) => {
    expect(mergePatch(document, patch)).toEqual(expected)
  })

  it('hands back the same document when the patch changes nothing', () => {
    const document = { a: { b: 1, c: [1] } }
    expect(mergePatch(document, { a: { b: 1, z: null } })).toBe(document)
  })

  it('does the same when it is applied twice', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (document, patch) => {
        const once = mergePatch(document as Json, patch as Json)
        expect(isEqual(mergePatch(once, patch as Json), once)).toBe(true)
      }),
    )
  })
})

describe('the merge patch between two values', () => {
  it('holds what changed', () => {
    expect(mergePatchOf({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 1 }, e: [2], f: 'x' })).toEqual({
      b: { d: null },
      e: [2],
      f: 'x',
    })
    expect(mergePatchOf({ a: [{ b: 1 }] }, { a: [{ b: 1 }] })).toBeUndefined()
  })

  it('leads from one to the other, whatever the fields are called', () => {
    const withoutNulls = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('null'))
    const document = fc.dictionary(
      fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a', 'b'), fc.string()),
      withoutNulls,
    )
    fc.assert(
      fc.property(document, document, (before, after) => {
        const [from, to] = [before, after].map((each) => JSON.parse(JSON.stringify(each)) as { [field: string]: Json })
        const patch = mergePatchOf(from, to ?? {}) ?? {}
        expect(isEqual(mergePatch(from ?? {}, patch as Json), to)).toBe(true)
      }),
    )
  })
})
