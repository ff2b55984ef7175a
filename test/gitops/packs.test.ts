// What arrives from a git server: an index is what git would make of the same pack, and hostile packs are refused.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSources } from '#gitops/source'
import { systemWorld } from '#world'
import { indexPack } from '../../src/gitops/source/packing/index-pack.ts'
import { makeBigHistory } from './big-history.ts'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'
import { startGitServer } from './git-server.ts'
import { adding, blob, idOf, madeOf, type PackEntry, sizes, writePack } from './made-packs.ts'

const plenty = 2 ** 40
let folder: string
beforeEach(() => {
  folder = temporaryDirectory('packs')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const index = (path: string, maxInflatedBytes = plenty) =>
  indexPack({ path, indexPath: join(folder, 'ours.idx'), maxInflatedBytes })

/** All objects of a repository in one pack, and the index that git makes of it. */
function packOf(repo: TestRepository, ...options: readonly string[]): string {
  const ids = repo.git('rev-list', '--objects', '--all', '--no-object-names')
  const pack = execFileSync('git', ['pack-objects', '--stdout', '-q', '--window=50', '--depth=50', ...options], {
    cwd: repo.path,
    input: ids,
    maxBuffer: 2 ** 28,
  })
  const path = join(folder, 'git.pack')
  writeFileSync(path, pack)
  execFileSync('git', ['index-pack', path])
  return path
}

describe('an index is that of git, byte by byte', () => {
  test.each([
    ['with bases by their places', ['--delta-base-offset']],
    ['with bases by their ids', []],
    ['without deltas', ['--window=0']],
  ])('%s', async (_name, options) => {
    const repo = createRepository()
    const lines = (version: number) =>
      Array.from({ length: 400 }, (_, line) => `${line} ${line % 40 === version ? version : ''}`)
    for (let version = 0; version < 40; version += 1)
      repo.commit({ 'a.txt': lines(version).join('\n'), [`folder/${version}.txt`]: `${version}` })
    repo.git('tag', '-a', 'v1', '-m', 'one')
    // What is not held at once, and what is stored as it is.
    const noise = createHash('shake256', { outputLength: 9 * 1024 * 1024 }).digest()
    repo.commit({ 'noise.bin': noise, empty: '', 'zeros.bin': Buffer.alloc(9 * 1024 * 1024) })
    const path = packOf(repo, ...options)
    repo.remove()
    const { objects } = await index(path)
    expect(objects).toBeGreaterThan(160)
    expect(readFileSync(join(folder, 'ours.idx')).equals(readFileSync(join(folder, 'git.idx')))).toBe(true)
  })
})

const makePack = (entries: readonly PackEntry[], count?: number): string =>
  writePack(join(folder, 'made.pack'), entries, count)

describe('a pack', () => {
  test('may hold an object twice, and what is made of it once', async () => {
    const path = makePack([blob('hello'), madeOf('hello', adding('!')), blob('hello')])
    expect((await index(path)).objects).toBe(3)
    const ids = readFileSync(join(folder, 'ours.idx'))
      .subarray(8 + 1024, 8 + 1024 + 60)
      .toString('hex')
    expect(ids).toContain(idOf('hello!').toString('hex'))
  })

  test('may be small and much: that is found while it is inflated', async () => {
    const bomb = makePack([{ type: 3, bytes: Buffer.alloc(32 * 1024 * 1024) }])
    await expect(index(bomb, 1024 * 1024)).rejects.toThrow(/holds too much/)
    expect((await index(bomb)).objects).toBe(1)
    const grows = Buffer.concat([sizes(5, 120 * 1024 * 1024), Buffer.from([0x90, 5])])
    const deltas = [blob('hello'), madeOf('hello', grows)]
    await expect(index(makePack(deltas), 1024 * 1024)).rejects.toThrow(/ends too early|holds too much/)
  })

  test.each<[string, () => string, RegExp]>([
    ['is no pack', () => made('NONE'.repeat(20)), /no pack of version 2 or 3/],
    ['is empty', () => made(''), /too short/],
    ['says more objects than it can hold', () => makePack([blob('a')], 4_000_000), /too short for the 4000000 objects/],
    ['says more objects than are taken', () => makePack([blob('a')], 4_000_000_000), /more than the limit of 5000000/],
    ['says fewer objects', () => makePack([blob('a'), blob('b')], 1), /more follows than the pack says/],
    ['has an object of no type', () => makePack([{ type: 5, bytes: Buffer.from('a') }]), /is of type 5/],
    ['lies about a length', () => makePack([{ type: 3, bytes: Buffer.from('abc'), size: 2 }]), /damaged at 1[23]/],
    [
      'lies about a large length',
      () => makePack([{ type: 3, bytes: Buffer.from('abc'), size: 2 ** 30 }]),
      /not the length/,
    ],
    [
      'has a base that was not sent',
      () => makePack([madeOf('gone', adding('!'))]),
      /made of ones that it did not send/,
    ],
    [
      'has a base that is itself',
      () => makePack([{ type: 6, base: Buffer.from([0]), bytes: adding('!') }]),
      /no object of the pack/,
    ],
    [
      'has a base before its beginning',
      () => makePack([{ type: 6, base: Buffer.from([0x7f]), bytes: adding('!') }]),
      /no object of the pack/,
    ],
    ['has a delta for another base', () => makePack([blob('hell'), madeOf('hell', adding('!'))]), /for another base/],
    [
      'has a delta that is too large',
      () => makePack([blob('hello'), madeOf('hello', sizes(5, 2 ** 33))]),
      /more than the limit/,
    ],
    [
      'has a large delta',
      () => makePack([{ type: 7, base: idOf('hello'), bytes: adding('!'), size: 2 ** 34 }]),
      /as a delta, more than the limit/,
    ],
    ['broke off', () => made(readFileSync(makePack([blob('hello')])).subarray(0, -3)), /damaged|checksum/],
    ['was changed on its way', () => made(changed(readFileSync(makePack([blob('hello')])))), /checksum/],
  ])('that %s is refused', async (_name, path, fault) => {
    await expect(index(path())).rejects.toThrow(fault)
    expect(readdirSync(folder)).not.toContain('ours.idx')
  })

  const made = (content: string | Uint8Array): string => {
    const path = join(folder, 'made.pack')
    writeFileSync(path, content)
    return path
  }
  const changed = (bytes: Buffer): Buffer => {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    return bytes
  }
})

test('long history arrives whole, in a thread of its own, and leaves nothing half done', async () => {
  const served = join(folder, 'served')
  const mirrors = join(folder, 'mirrors')
  mkdirSync(served)
  await makeBigHistory(join(served, 'big.git'), { commits: 500, binaryBytes: 3 * 1024 * 1024 })
  const server = await startGitServer({ root: served })
  const source = createSources({ world: systemWorld(), directory: mirrors }).repository(`${server.url}/big.git`)
  await source.refresh()
  await server.close()
  expect(source.state.trouble).toBeUndefined()
  const [mirror = ''] = readdirSync(mirrors)
  const git = (directory: string, ...words: string[]) =>
    execFileSync('git', words, { cwd: directory, encoding: 'utf8', env: { ...process.env, GIT_DIR: '.' } })
  const tip = git(join(served, 'big.git'), 'rev-parse', 'main').trim()
  expect(git(join(mirrors, mirror), 'fsck', '--full', '--no-dangling', tip)).toBe('')
  const objects = ['rev-list', '--objects', tip]
  expect(git(join(mirrors, mirror), ...objects)).toBe(git(join(served, 'big.git'), ...objects))
  const packs = readdirSync(join(mirrors, mirror, 'objects/pack'))
  expect(packs.map((name) => name.replace(/[0-9a-f]{40}/, ''))).toEqual(['pack-.idx', 'pack-.pack'])
  expect((await source.snapshot('main')).list).toBeDefined()
})
