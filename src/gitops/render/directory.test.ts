import { describe, expect, test } from 'vitest'
import { problemText, selectFiles } from './directory.ts'
import { compileGlob } from './glob.ts'

const file = (path: string) => ({ path, id: path })
const select = (paths: readonly string[], options: { recurse?: boolean; include?: string; exclude?: string }) =>
  selectFiles(paths.map(file), { recurse: false, include: '', exclude: '', ...options }).files.map((each) => each.path)

describe('globs match as in Argo CD', () => {
  test.each([
    ['*.yaml', 'a/b.yaml', true],
    ['*.yaml', 'a.yml', false],
    ['env-usw2/*.yaml', 'env-usw2/sub/a.yaml', true],
    ['{*.yml,*.yaml}', 'x.yml', true],
    ['{a,b{c,d}}*', 'bd1', true],
    ['?.yaml', 'ab.yaml', false],
    ['[a-c].yaml', 'b.yaml', true],
    ['[!a-c].yaml', 'b.yaml', false],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['**/x.yaml', 'a/b/x.yaml', true],
    ['', '', true],
    ['a.b', 'axb', false],
  ])('%s on %s', (pattern, path, expected) => {
    expect(compileGlob(pattern)(path)).toBe(expected)
  })

  test('a hostile pattern takes no time', () => {
    expect(compileGlob(`${'*a'.repeat(500)}b`)('a'.repeat(4000))).toBe(false)
    expect(() => compileGlob('{a,b}'.repeat(20))).toThrow(/too many alternatives/)
    expect(() => compileGlob('{a')).toThrow(/not closed/)
    expect(() => compileGlob('[a')).toThrow(/not closed/)
  })
})

describe('selection', () => {
  const paths = ['a.yaml', 'b.yml', 'c.json', 'd.txt', 'e.YAML', 'sub/f.yaml']
  test('by name and depth', () => {
    expect(select(paths, {})).toEqual(['a.yaml', 'b.yml', 'c.json'])
    expect(select(paths, { recurse: true })).toEqual(['a.yaml', 'b.yml', 'c.json', 'sub/f.yaml'])
  })

  test('exclude wins over include', () => {
    expect(select(paths, { recurse: true, include: '*.yaml' })).toEqual(['a.yaml', 'sub/f.yaml'])
    expect(select(paths, { recurse: true, include: '*.yaml', exclude: 'sub/*' })).toEqual(['a.yaml'])
  })

  test('a pattern that is none is one problem', () => {
    expect(selectFiles([file('a.yaml')], { recurse: false, include: '{', exclude: '' }).problems).toHaveLength(1)
  })
})

test('problems are told by file, line and column', () => {
  expect(problemText({ file: 'web.yaml', line: 12, column: 5, message: 'bad' }, 'shop/')).toBe(
    'shop/web.yaml:12:5: bad',
  )
  expect(problemText({ file: 'web.yaml', message: 'bad' }, '.')).toBe('web.yaml: bad')
  expect(problemText({ message: 'bad' }, 'shop')).toBe('bad')
})
