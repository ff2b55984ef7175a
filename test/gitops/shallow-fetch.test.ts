// A remote of which only the last commits are fetched: files are whole, history ends where it was said, and what lies deeper is
// asked for by its id or told to be missing.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSources, type Repository } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { reach, type Way } from './reach.ts'

let root: string
let mirrors: string
let repo: TestRepository
let server: GitServer
let depth: string | undefined

beforeEach(async () => {
  root = temporaryDirectory('served')
  mirrors = temporaryDirectory('mirrors')
  repo = createRepository()
  repo.git('init', '-q', '--bare', '-b', 'main', join(root, 'shop.git'))
  repo.git('remote', 'add', 'origin', join(root, 'shop.git'))
  server = await startGitServer({ root })
  depth = '1'
})
afterEach(async () => {
  await server.close()
  for (const path of [root, mirrors]) rmSync(path, { recursive: true, force: true })
  repo.remove()
})

const publish = (): string =>
  repo.git('push', '-q', '--force', '--prune', 'origin', '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*')

async function open(way: Way = 'http'): Promise<Repository> {
  const { url, environment } = reach(way, { server, root, path: 'shop.git', home: mirrors })
  const access = () => ({ depth })
  const source = createSources({ world: systemWorld(), directory: mirrors, environment, access }).repository(url)
  await source.refresh()
  return source
}

const mirror = (): string => join(mirrors, readdirSync(mirrors).find((name) => name.endsWith('.git')) ?? '')
const inMirror = (...words: string[]): string =>
  execFileSync('git', words, { cwd: mirror(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
const historyOf = (id: string): number => Number(inMirror('rev-list', '--count', id))

/** Every file of a revision, so that one that is missing is found. */
async function read(source: Repository, revision = ''): Promise<Readonly<Record<string, string>>> {
  const snapshot = await source.snapshot(revision)
  const { files } = await snapshot.list('.', { recurse: true })
  const texts: Record<string, string> = {}
  for (const file of files) texts[file.path] = Buffer.from(await snapshot.read('.', file)).toString()
  return texts
}

describe.each(['http', 'ssh'] as const)('over %s', (way) => {
  test('the last commit of each branch and tag is fetched, and then what is new of it', async () => {
    for (const text of ['1', '2', '3']) repo.commit({ 'a.yaml': text, [`${text}.yaml`]: text })
    repo.git('tag', '-a', 'v1', '-m', 'one', 'HEAD~1')
    publish()
    const source = await open(way)
    expect(source.state.trouble).toBeUndefined()
    const third = repo.git('rev-parse', 'HEAD')
    expect(await read(source)).toEqual({ 'a.yaml': '3', '1.yaml': '1', '2.yaml': '2', '3.yaml': '3' })
    expect(await read(source, 'v1')).toEqual({ 'a.yaml': '2', '1.yaml': '1', '2.yaml': '2' })
    expect(await source.describe(third)).toMatchObject({ id: third, message: 'change' })
    expect(historyOf(third)).toBe(1)
    repo.commit({ 'a.yaml': '4' })
    const fifth = repo.commit({ 'a.yaml': '5' })
    repo.git('tag', '-f', '-a', 'v1', '-m', 'moved', 'HEAD~1')
    publish()
    // Goes on where another process ended.
    const again = await open(way)
    expect(await read(again)).toMatchObject({ 'a.yaml': '5', '1.yaml': '1' })
    expect(await read(again, 'v1')).toMatchObject({ 'a.yaml': '4' })
    expect(historyOf(fifth)).toBe(1)
    expect(await read(again, third)).toMatchObject({ 'a.yaml': '3' })
    expect(inMirror('fsck', '--full', '--no-dangling')).toBe('')
  })

  test('what leaves the history that is here is whole: old branches, rewritten ones', async () => {
    repo.commit({ 'old.yaml': 'old', 'a.yaml': '1' })
    const old = repo.git('rev-parse', 'HEAD')
    repo.commit({ 'a.yaml': '2' })
    repo.git('rm', '-q', 'old.yaml')
    repo.commit({ 'a.yaml': '3' })
    publish()
    const source = await open(way)
    repo.git('branch', 'late', old)
    repo.git('reset', '-q', '--hard', 'HEAD~1')
    const other = repo.commit({ 'a.yaml': 'other' })
    publish()
    expect(await source.refresh()).toBe(true)
    expect(await read(source, 'late')).toEqual({ 'old.yaml': 'old', 'a.yaml': '1' })
    expect(await read(source)).toEqual({ 'old.yaml': 'old', 'a.yaml': 'other' })
    const before = (await source.commits?.resolve('late'))?.id ?? ''
    const trees = await source.commits?.between(before, other, async (pair) => [pair.before, pair.after])
    expect(trees).toEqual([repo.git('rev-parse', `${old}^{tree}`), repo.git('rev-parse', `${other}^{tree}`)])
    expect(inMirror('fsck', '--full', '--no-dangling')).toBe('')
  })

  test('more is fetched as soon as more is said, and less from then on', async () => {
    for (const text of ['1', '2', '3', '4', '5', '6']) repo.commit({ 'a.yaml': text })
    publish()
    const source = await open(way)
    const tip = repo.git('rev-parse', 'HEAD')
    expect(historyOf(tip)).toBe(1)
    depth = '3'
    await source.refresh()
    expect(historyOf(tip)).toBe(3)
    depth = '0'
    await source.refresh()
    expect([historyOf(tip), existsSync(join(mirror(), 'shallow'))]).toEqual([6, false])
    expect(inMirror('fsck', '--full', '--no-dangling')).toBe('')
    depth = '2'
    await source.refresh()
    for (const text of ['7', '8', '9']) repo.commit({ 'a.yaml': text })
    publish()
    await source.refresh()
    expect(historyOf(repo.git('rev-parse', 'HEAD'))).toBe(2)
    expect(await read(source)).toEqual({ 'a.yaml': '9' })
    expect(inMirror('fsck', '--full', '--no-dangling')).toBe('')
  })
})

test('a commit that lies deeper is asked for by its id, with as much of its own history', async () => {
  for (const text of ['1', '2', '3', '4']) repo.commit({ 'a.yaml': text })
  publish()
  const source = await open()
  const second = repo.git('rev-parse', 'HEAD~2')
  expect(await read(source, second)).toEqual({ 'a.yaml': '2' })
  expect(historyOf(second)).toBe(1)
  repo.commit({ 'a.yaml': '5' })
  publish()
  await source.refresh()
  expect(await read(source)).toEqual({ 'a.yaml': '5' })
  expect(inMirror('fsck', '--full', '--no-dangling')).toBe('')
})

test('commits that are asked for at once, while others are fetched, leave a mirror that is whole', async () => {
  for (const text of ['1', '2', '3', '4', '5', '6']) repo.commit({ 'a.yaml': text, [`${text}.yaml`]: text })
  publish()
  const source = await open()
  const ids = repo.git('rev-list', 'HEAD').split('\n').slice(1)
  repo.commit({ 'a.yaml': '7' })
  publish()
  const [, ...texts] = await Promise.all([source.refresh(), ...ids.map((id) => read(source, id))])
  expect(texts.map((files) => files['a.yaml'])).toEqual(['5', '4', '3', '2', '1'])
  expect(await read(source)).toMatchObject({ 'a.yaml': '7' })
  expect(inMirror('fsck', '--full', '--no-dangling')).toBe('')
})

test('a commit that the server does not give out is told to lie deeper, also by the beginning of its id', async () => {
  for (const text of ['1', '2', '3']) repo.commit({ 'a.yaml': text })
  publish()
  const source = await open()
  const first = repo.git('rev-parse', 'HEAD~2')
  const fault =
    /unable to resolve '\w+' to a commit SHA: `depth` of the repository lets fetch one commit of each branch/
  server.failWith = 403
  await expect(source.snapshot(first)).rejects.toThrow(fault)
  server.failWith = undefined
  await expect(source.snapshot(first)).rejects.toThrow(/and the server does not give it out by its id$/)
  await expect(source.snapshot(first.slice(0, 9))).rejects.toThrow(/none of these begins so: give the whole id$/)
  await expect(source.snapshot('no-branch')).rejects.toThrow(/^unable to resolve 'no-branch' to a commit SHA$/)
  depth = ''
  await source.refresh()
  expect(await read(source, first)).toEqual({ 'a.yaml': '1' })
})

test('an answer that breaks off leaves what was here, and the next one is whole', async () => {
  const noise = (seed: number) => Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919 * seed) % 251))
  repo.commit({ 'a.yaml': '1' })
  publish()
  const source = await open()
  for (const seed of [1, 2, 3]) repo.commit({ 'a.yaml': `${seed}`, 'b.bin': noise(seed) })
  publish()
  server.cutPackAfter = 700
  await source.refresh()
  expect(source.state.trouble).toBeDefined()
  expect(await read(source)).toEqual({ 'a.yaml': '1' })
  server.cutPackAfter = undefined
  const again = await open()
  expect(await read(again)).toMatchObject({ 'a.yaml': '3' })
  expect(inMirror('fsck', '--full', '--no-dangling')).toBe('')
})

test.each(['one', '1 --upload-pack=x', '1.5', '--5'])('a depth of %j is told, and nothing is fetched', async (text) => {
  repo.commit({ 'a.yaml': '1' })
  publish()
  depth = text
  const source = await open()
  expect(source.state).toMatchObject({
    ready: false,
    trouble: { message: expect.stringMatching(/^`depth` of the repository is no whole number/) },
  })
  expect(server.requests).toEqual([])
})

test('the environment says it too, for what a Secret says nothing of', async () => {
  for (const text of ['1', '2', '3']) repo.commit({ 'a.yaml': text })
  publish()
  const environment = { HOMEOSTAT_REPO_URL: server.url, HOMEOSTAT_REPO_DEPTH: '2' }
  const countWith = async (said: string | undefined): Promise<number> => {
    const options = { world: systemWorld(), directory: mirrors, environment, access: () => ({ depth: said }) }
    await createSources(options).repository(`${server.url}/shop.git`).refresh()
    return historyOf(repo.git('rev-parse', 'HEAD'))
  }
  expect(await countWith(undefined)).toBe(2)
  expect(await countWith('0')).toBe(3)
})
