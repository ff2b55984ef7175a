import { expect, test } from 'vitest'
import { filesSnapshot, type GivenFile } from './files-snapshot.ts'

const file = (path: string, text = path): GivenFile => ({ path, bytes: Buffer.from(text) })
const list = async (files: readonly GivenFile[], path: string, recurse = true) =>
  (await filesSnapshot(files).list(path, { recurse })).files.map((each) => each.path)

test('files are listed as of a commit: by name, folder by folder', async () => {
  const files = [file('b'), file('a/z'), file('a.yaml'), file('a/b/c')]
  expect(await list(files, '.')).toEqual(['a/b/c', 'a/z', 'a.yaml', 'b'])
  expect(await list(files, '.', false)).toEqual(['a.yaml', 'b'])
  expect(await list(files, './a/')).toEqual(['b/c', 'z'])
  expect(await list(files, 'a', false)).toEqual(['z'])
})

test('a file has the id that git would give it, and can be read', async () => {
  const snapshot = filesSnapshot([file('a/hello', 'hello\n')])
  const [found] = (await snapshot.list('a', { recurse: false })).files
  expect(found).toEqual({ path: 'hello', id: 'ce013625030ba8dba906f756967f9e9ca394464a' })
  expect(Buffer.from(await snapshot.read('a', found ?? { path: '', id: '' })).toString()).toBe('hello\n')
})

test('links are the files they lead to; what leads out is a problem, what leads nowhere is not there', async () => {
  const files: readonly GivenFile[] = [
    file('real', 'x'),
    { path: 'a/link', target: '../real' },
    { path: 'a/far', target: 'link' },
    { path: 'a/out', target: '../../etc/passwd' },
    { path: 'a/absolute', target: '/etc/passwd' },
    { path: 'a/nowhere', target: 'none' },
    { path: 'round', target: 'round' },
  ]
  const snapshot = filesSnapshot(files)
  const { files: found } = await snapshot.list('a', { recurse: false })
  expect(found.map(({ path, problem }) => [path, problem])).toEqual([
    ['absolute', 'the symbolic link leaves the repository'],
    ['far', undefined],
    ['link', undefined],
    ['out', 'the symbolic link leaves the repository'],
  ])
  for (const each of found.slice(1, 3)) expect(Buffer.from(await snapshot.read('a', each)).toString()).toBe('x')
  expect(await list(files, '.', false)).toEqual(['real'])
})

test.each([
  ['nowhere', 'nowhere: app path does not exist'],
  ['a', 'a: app path is not a directory'],
  ['../x', '../x: app path outside root'],
  ['/', '/: app path is absolute'],
])('a path that is no folder of it is refused: %s', async (path, message) => {
  await expect(list([file('a')], path)).rejects.toThrow(message)
})

test('nothing is below a file', () => {
  expect(() => filesSnapshot([file('a'), file('a/b')])).toThrow('a is a file, and a/b is below it')
})
