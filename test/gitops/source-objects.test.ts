// Objects as our reader gives them, against what git itself says of them.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createSources, type Repository } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository } from './git-repository.ts'

const world = systemWorld()
const made: TestRepository[] = []
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove()
})

function repository(): TestRepository {
  const repo = createRepository()
  made.push(repo)
  return repo
}

async function open(path: string): Promise<Repository> {
  const sources = createSources({ world, directory: '/nonexistent', local: [{ path }] })
  await sources.open()
  return sources.repository(path)
}

/** Every file of a revision with its content, as git gives it. */
function byGit(repo: TestRepository, revision: string): Record<string, string> {
  const names = repo.git('ls-tree', '-r', '--name-only', '-z', revision).split('\0').filter(Boolean)
  const show = (name: string) =>
    execFileSync('git', ['cat-file', 'blob', `${revision}:${name}`], { cwd: repo.path, maxBuffer: 2 ** 26 })
  return Object.fromEntries(names.map((name) => [name, show(name).toString('base64')]))
}

async function byUs(source: Repository, revision: string): Promise<Record<string, string>> {
  const snapshot = await source.snapshot(revision)
  const { files } = await snapshot.list('.', { recurse: true })
  const read = async (file: (typeof files)[number]) => Buffer.from(await snapshot.read('.', file)).toString('base64')
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file.path, await read(file)] as const)))
}

/** Files that git keeps as chains of deltas, others that it cannot make smaller, empty and odd ones. */
function history(repo: TestRepository): readonly string[] {
  const noise = (seed: number, length: number) =>
    Uint8Array.from({ length }, (_, i) => (Math.imul(i + seed, 2654435761) >>> 24) ^ (i & 0xff))
  const lines = (version: number) =>
    Array.from({ length: 3000 }, (_, i) => `line ${i} of ${i % 50 === version ? version : 'all'}`).join('\n')
  return Array.from({ length: 6 }, (_, version) =>
    repo.commit(
      {
        'long.txt': lines(version),
        'large.bin': noise(version % 2, 300_000),
        'small/empty': '',
        'small/größe.yaml': `version: ${version}\n`,
        [`many/${version}.yaml`]: 'x'.repeat(version * 4000),
      },
      `Version ${version}\n\nWith a second paragraph.`,
    ),
  )
}

describe('objects of a repository', () => {
  test.each(['loose', 'packed', 'packed twice and loose'] as const)('%s are what git says', async (how) => {
    const repo = repository()
    const commits = history(repo)
    if (how !== 'loose') repo.git('gc', '-q', '--aggressive')
    if (how === 'packed twice and loose') {
      repo.commit({ 'second.yaml': 'in another pack' })
      repo.git('repack', '-q', '-d')
      repo.commit({ 'third.yaml': 'loose' })
    }
    const source = await open(repo.path)
    for (const revision of [...commits.slice(-2), commits[0] ?? '', 'HEAD'])
      expect(await byUs(source, revision)).toEqual(byGit(repo, revision))
    const [first = ''] = commits
    expect((await source.describe(first))?.message).toBe('Version 0\n\nWith a second paragraph.')
  })

  test('are found by the beginning of their name, unless several begin so', async () => {
    const repo = repository()
    const commits = history(repo)
    const source = await open(repo.path)
    const meant = async (revision: string) =>
      (await (await source.snapshot(revision)).list('', { recurse: false })).revision
    const [first = ''] = commits
    expect(await meant(first.slice(0, 10))).toBe(first)
    repo.git('gc', '-q')
    await source.refresh()
    expect(await meant(first.slice(0, 10))).toBe(first)
    await expect(meant('0000000')).rejects.toThrow("unable to resolve '0000000'")
  })

  test('are still found after git has packed them anew', async () => {
    const repo = repository()
    history(repo)
    repo.git('gc', '-q')
    const source = await open(repo.path)
    const before = await byUs(source, 'HEAD')
    repo.commit({ 'more.yaml': 'more' })
    repo.git('gc', '-q', '--prune=now')
    await source.refresh()
    expect(await byUs(source, 'HEAD')).toEqual({ ...before, 'more.yaml': Buffer.from('more').toString('base64') })
  })
})

describe('what is broken is told', () => {
  const packOf = (repo: TestRepository): string => {
    const folder = join(repo.path, '.git/objects/pack')
    return join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) ?? '')
  }

  test('a pack that ends too early', async () => {
    const repo = repository()
    history(repo)
    repo.git('gc', '-q')
    const pack = packOf(repo)
    execFileSync('chmod', ['u+w', pack])
    truncateSync(pack, 2000)
    await expect(byUs(await open(repo.path), 'HEAD')).rejects.toThrow(/cannot read the repository's objects|missing/)
  })

  test('a pack with other bytes in it', async () => {
    const repo = repository()
    history(repo)
    repo.git('gc', '-q')
    const pack = packOf(repo)
    execFileSync('chmod', ['u+w', pack])
    const bytes = readFileSync(pack)
    bytes.fill(0x5a, 200)
    writeFileSync(pack, bytes)
    await expect(byUs(await open(repo.path), 'HEAD')).rejects.toThrow(/cannot read the repository's objects|missing/)
  })

  test('an index that is none', async () => {
    const repo = repository()
    history(repo)
    repo.git('gc', '-q')
    const index = packOf(repo).replace(/pack$/, 'idx')
    execFileSync('chmod', ['u+w', index])
    writeFileSync(index, 'no index')
    await expect(byUs(await open(repo.path), 'HEAD')).rejects.toThrow('is no pack index of version 2')
  })

  test('a loose object under the name of another', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': 'a', 'b.yaml': 'b' })
    const file = (name: string) => {
      const id = repo.git('rev-parse', `HEAD:${name}`)
      return join(repo.path, '.git/objects', id.slice(0, 2), id.slice(2))
    }
    rmSync(file('a.yaml'), { force: true })
    writeFileSync(file('a.yaml'), readFileSync(file('b.yaml')))
    expect(existsSync(file('a.yaml'))).toBe(true)
    await expect(byUs(await open(repo.path), 'HEAD')).rejects.toThrow('its content does not have this id')
  })

  test.each(['..', '.git', 'a/b', '.GIT. ', 'git~1'])('a tree with an entry named %j', async (name) => {
    const repo = repository()
    repo.commit({ 'a.yaml': 'a' })
    const blob = repo.git('rev-parse', 'HEAD:a.yaml')
    const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
    const hash = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin']
    const tree = execFileSync('git', hash, { cwd: repo.path, input: entry }).toString().trim()
    repo.git('update-ref', 'refs/heads/main', repo.git('commit-tree', tree, '-m', 'odd'))
    await expect(byUs(await open(repo.path), 'HEAD')).rejects.toThrow('which is not allowed')
  })
})
