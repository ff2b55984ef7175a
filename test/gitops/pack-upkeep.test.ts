// Mirrors that are fetched again and again: their packs stay few, and nothing that was ever fetched is lost on the way.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSources, type Repository } from '#gitops/source'
import { recordingLog, systemWorld } from '#world'
import { ObjectStore } from '../../src/gitops/source/object-store.ts'
import { clearHalfDone, PackUpkeep } from '../../src/gitops/source/pack-upkeep.ts'
import { indexPack } from '../../src/gitops/source/packing/index-pack.ts'
import { mergePacks } from '../../src/gitops/source/packing/merge-packs.ts'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { adding, blob, idOf, madeOf, type PackEntry, writePack } from './made-packs.ts'
import { reach, type Way } from './reach.ts'

let root: string
let mirrors: string
let repo: TestRepository
let server: GitServer
let log: ReturnType<typeof recordingLog>

beforeEach(async () => {
  root = temporaryDirectory('served')
  mirrors = temporaryDirectory('mirrors')
  mkdirSync(join(root, 'shop'))
  repo = createRepository(join(root, 'shop'))
  server = await startGitServer({ root })
  log = recordingLog()
})
afterEach(async () => {
  await server.close()
  for (const path of [root, mirrors]) rmSync(path, { recursive: true, force: true })
})

function open(way: Way, depth?: string): Repository {
  const { url, environment } = reach(way, { server, root, path: 'shop/.git', home: mirrors })
  const access = () => ({ depth })
  const world = systemWorld({ log: log.log })
  return createSources({ world, directory: mirrors, environment, access }).repository(url)
}

const mirror = (): string => join(mirrors, readdirSync(mirrors).find((name) => name.endsWith('.git')) ?? 'made.git')
const inMirror = (...words: string[]): string =>
  execFileSync('git', words, { cwd: mirror(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
const packFolder = (): string => join(mirror(), 'objects/pack')
const packs = (): string[] => readdirSync(packFolder()).filter((name) => name.endsWith('.pack'))
const fewPacks = () => vi.waitFor(() => expect(packs().length).toBeLessThan(50), { timeout: 60_000, interval: 50 })

const lines = (version: number): string =>
  Array.from({ length: 200 }, (_, line) => (line === version % 200 ? `changed ${version}` : `line ${line}`)).join('\n')

/** Makes so many commits at once; the branch stays. Answers their ids, the oldest first. */
function makeCommits(count: number): readonly string[] {
  const tip = repo.git('rev-parse', 'HEAD')
  const text = Array.from({ length: count }, (_, at) => {
    const from = at === 0 ? `from ${tip}\n` : ''
    const inline = (path: string, content: string) => `M 100644 inline ${path}\ndata ${content.length}\n${content}\n`
    const head = `commit refs/heads/made\ncommitter test <test@example.com> ${1_800_000_000 + at} +0000\ndata 0\n`
    return `${head}${from}${inline('a.yaml', lines(at))}${inline('folder/b.yaml', `${at}`)}`
  })
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: repo.path, input: text.join('') })
  const ids = repo.git('rev-list', '--reverse', `${tip}..made`).split('\n')
  repo.git('update-ref', '-d', 'refs/heads/made')
  return ids
}

/** Moves the branch to one commit after another, and fetches each. */
async function fetchEach(source: Repository, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    writeFileSync(join(repo.path, '.git/refs/heads/main'), `${id}\n`)
    await source.refresh()
    expect(source.state.trouble).toBeUndefined()
  }
}

describe.each([
  ['http', 120],
  ['ssh', 60],
] as const)('a mirror over %s that is fetched %i times', (way, times) => {
  test('has few packs, and every object that it ever had', { timeout: 300_000 }, async () => {
    repo.commit({ 'a.yaml': lines(0), 'folder/b.yaml': '' })
    const source = open(way)
    await source.refresh()
    await fetchEach(source, makeCommits(times))
    await fewPacks()
    expect(log.lines).toEqual([])
    expect(inMirror('fsck', '--full', '--no-dangling', '--connectivity-only')).toBe('')
    const ids = repo.git('rev-list', '--objects', '--all', '--no-object-names').split('\n')
    expect(ids.length).toBeGreaterThan(3 * times)
    const store = new ObjectStore(mirror())
    for (const id of ids) {
      const { type, bytes } = (await store.find(id)) ?? { type: 'none', bytes: '' }
      expect(createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')).toBe(id)
    }
    // Whoever has read before goes on, with what it has opened.
    const first = repo.git('rev-list', '--max-parents=0', 'HEAD')
    expect((await (await source.snapshot(first)).list('.', { recurse: true })).files.map(({ path }) => path)).toEqual([
      'a.yaml',
      'folder/b.yaml',
    ])
  })

  test('tells the server the ends of history that still are some', { timeout: 300_000 }, async () => {
    repo.commit({ 'a.yaml': lines(0), 'folder/b.yaml': '' })
    repo.git('branch', 'quiet')
    const source = open(way, '1')
    await source.refresh()
    await fetchEach(source, makeCommits(60))
    await fewPacks()
    const ends = () => readFileSync(join(mirror(), 'shallow'), 'utf8').trim().split('\n')
    await vi.waitFor(() => expect(ends().length).toBeLessThan(60))
    for (const branch of ['main', 'quiet']) expect(ends()).toContain(repo.git('rev-parse', branch))
    // What follows is fetched as before: rewritten history, and more of it.
    repo.git('update-ref', 'refs/heads/main', repo.git('rev-parse', 'main~3'))
    await fetchEach(source, makeCommits(1))
    const again = open(way, '5')
    await again.refresh()
    const tip = repo.git('rev-parse', 'main')
    expect(inMirror('rev-list', '--count', tip)).toBe('5')
    expect(() => inMirror('rev-list', '--objects', tip)).not.toThrow()
  })
})

const shorter = (size: number): Buffer => Buffer.from([size, size - 1, 0x90, size - 1])

async function made(path: string, ...entries: PackEntry[]): Promise<string> {
  writePack(path, entries)
  await indexPack({ path, indexPath: path.replace(/pack$/, 'idx'), maxInflatedBytes: 2 ** 30 })
  return path
}

/** A git directory with as many packs; each holds a text, and one that is made of it. */
async function manyPacks(count = 60): Promise<readonly string[]> {
  mkdirSync(packFolder(), { recursive: true })
  const texts: string[] = []
  for (let at = 0; at < count; at += 1) {
    const text = `the text of ${at}`
    texts.push(text, `${text}!`)
    await made(join(packFolder(), `pack-${at}.pack`), blob(text), madeOf(text, adding('!', text.length)))
  }
  return texts
}

async function readAll(texts: readonly string[], store = new ObjectStore(mirror())): Promise<void> {
  for (const text of texts) expect((await store.find(idOf(text).toString('hex')))?.bytes.toString(), text).toBe(text)
}

test('a merge that fails is told once, and changes nothing', async () => {
  const texts = await manyPacks()
  const warned: string[] = []
  const upkeep = new PackUpkeep({ warn: (message) => warned.push(message) })
  const [broken = ''] = packs()
  const path = join(packFolder(), broken)
  const bytes = readFileSync(path)
  chmodSync(path, 0o600)
  writeFileSync(path, bytes.subarray(0, -30))
  const before = readdirSync(packFolder())
  for (let times = 0; times < 3; times += 1) await upkeep.keep(mirror())
  expect(warned).toEqual([expect.stringMatching(/stay as they are: merging them failed: /)])
  expect(readdirSync(packFolder())).toEqual(before)
  writeFileSync(path, bytes)
  await new PackUpkeep({ warn: (message) => warned.push(message) }).keep(mirror())
  expect([packs().length, warned.length]).toEqual([1, 1])
  await readAll(texts)
})

test('wherever a merge broke off, every object is found, and what was left half done goes', async () => {
  const texts = await manyPacks()
  const before = join(mirrors, 'before')
  cpSync(packFolder(), before, { recursive: true })
  const merged = join(mirrors, 'merged')
  mkdirSync(merged)
  const request = {
    packs: packs().map((name) => join(packFolder(), name)),
    path: join(merged, 'tmp_merging_1.pack'),
    indexPath: join(merged, 'tmp_merging_1.index'),
  }
  const { checksum } = await mergePacks(request)
  const put = (name: string, as: string) => copyFileSync(join(merged, name), join(packFolder(), as))
  const [one = '', two = ''] = packs().map((name) => name.replace(/\.pack$/, ''))
  // Each adds to what was done before.
  const steps = [
    () => put('tmp_merging_1.pack', 'tmp_merging_1.pack'),
    () => put('tmp_merging_1.index', 'tmp_merging_1.index'),
    () => renameSync(join(packFolder(), 'tmp_merging_1.pack'), join(packFolder(), `pack-${checksum}.pack`)),
    () => renameSync(join(packFolder(), 'tmp_merging_1.index'), join(packFolder(), `pack-${checksum}.idx`)),
    () => rmSync(join(packFolder(), `${one}.idx`)),
    () => rmSync(join(packFolder(), `${one}.pack`)),
    () => rmSync(join(packFolder(), `${two}.idx`)),
  ]
  for (let done = 1; done <= steps.length; done += 1) {
    rmSync(packFolder(), { recursive: true })
    cpSync(before, packFolder(), { recursive: true })
    for (const step of steps.slice(0, done)) step()
    await readAll(texts)
    // The next process.
    await clearHalfDone(mirror())
    const names = readdirSync(packFolder())
    expect(names.filter((name) => name.startsWith('tmp_'))).toEqual([])
    expect(names.filter((name) => name.endsWith('.pack') && !names.includes(name.replace(/pack$/, 'idx')))).toEqual([])
    await readAll(texts)
  }
})

test('those who read meanwhile find all', async () => {
  const texts = await manyPacks()
  const stores = Array.from({ length: 4 }, () => new ObjectStore(mirror()))
  for (const store of stores.slice(2)) await readAll(texts.slice(0, 20), store)
  let isDone = false
  const keeping = new PackUpkeep({ warn: (message) => expect.fail(message) }).keep(mirror()).then(() => {
    isDone = true
  })
  let rounds = 0
  const reading = stores.map(async (store) => {
    for (; !isDone || rounds < 4; rounds += 1) {
      await readAll(texts, store)
      await store.forget()
      await new Promise(setImmediate)
    }
  })
  await Promise.all([keeping, ...reading])
  expect(packs()).toHaveLength(1)
})

describe('objects that are made of one another in different packs', () => {
  async function merged(...paths: string[]): Promise<readonly (string | undefined)[]> {
    const home = join(mirrors, 'made.git')
    mkdirSync(join(home, 'objects/pack'), { recursive: true })
    const path = join(home, 'objects/pack/pack-1.pack')
    await mergePacks({ packs: paths, path, indexPath: path.replace(/pack$/, 'idx') })
    execFileSync('git', ['index-pack', '--strict', '-o', join(mirrors, 'git.idx'), path])
    const store = new ObjectStore(home)
    return Promise.all(
      ['hello', 'hello!', 'hello!?'].map(async (text) =>
        (await store.find(idOf(text).toString('hex')))?.bytes.toString(),
      ),
    )
  }

  test('a circle of two packs is none in one', async () => {
    const one = await made(join(mirrors, 'one.pack'), blob('hello'), madeOf('hello', adding('!')))
    const two = await made(join(mirrors, 'two.pack'), blob('hello!'), madeOf('hello!', shorter(6)))
    expect(await merged(one, two)).toEqual(['hello', 'hello!', undefined])
    expect(await merged(two, one)).toEqual(['hello', 'hello!', undefined])
  })

  test('what comes before its base, and what lies there twice', async () => {
    const one = await made(
      join(mirrors, 'one.pack'),
      madeOf('hello!', adding('?', 6)),
      madeOf('hello', adding('!')),
      madeOf('hello!', shorter(6)),
      blob('hello'),
    )
    const two = await made(join(mirrors, 'two.pack'), blob('hello!'), madeOf('hello!', adding('?', 6)))
    expect(await merged(one, two)).toEqual(['hello', 'hello!', 'hello!?'])
    expect(await merged(two, one)).toEqual(['hello', 'hello!', 'hello!?'])
  })

  test('a long row of packs, each made of the one before, is not made of all of them', async () => {
    let text = ''
    const paths: string[] = []
    for (let at = 0; at < 120; at += 1) {
      const before = `0123456789${'x'.repeat(at)}`
      text = `${before}x`
      paths.push(await made(join(mirrors, `row-${at}.pack`), blob(before), madeOf(before, adding('x', before.length))))
    }
    await merged(...paths)
    const home = join(mirrors, 'made.git')
    expect((await new ObjectStore(home).find(idOf(text).toString('hex')))?.bytes.toString()).toBe(text)
    const depths = execFileSync('git', ['verify-pack', '-v', join(home, 'objects/pack/pack-1.idx')], {
      encoding: 'utf8',
    })
    const deepest = Math.max(...[...depths.matchAll(/^chain length = (\d+)/gm)].map(([, depth]) => Number(depth)))
    expect(deepest).toBe(50)
  })
})
