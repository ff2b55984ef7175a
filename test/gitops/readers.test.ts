// Whom a commit concerns, against a comparison of everything: nobody whose files changed is left out, and of those whose
// files stayed the same only few are told in vain.

import { afterEach, expect, test } from 'vitest'
import { createSources, Readers, type Repository, readSnapshot, SourceError } from '#gitops/source'
import { seededRandom, systemWorld } from '#world'
import { createRepository, type TestRepository } from './git-repository.ts'

const world = systemWorld()
const made: TestRepository[] = []
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove()
})

interface Reader {
  readonly revision: string
  readonly folders: readonly { readonly path: string; readonly recurse: boolean }[]
}

const readers: Readonly<Record<string, Reader>> = {
  root: { revision: '', folders: [{ path: '.', recurse: false }] },
  everything: { revision: 'main', folders: [{ path: '', recurse: true }] },
  one: { revision: '', folders: [{ path: 'a/x', recurse: false }] },
  below: { revision: '', folders: [{ path: 'a', recurse: true }] },
  above: { revision: 'HEAD', folders: [{ path: 'a', recurse: false }] },
  two: { revision: '', folders: ['b', 'shared/base'].map((path) => ({ path, recurse: true })) },
  absent: { revision: '', folders: ['b', 'c/d'].map((path) => ({ path, recurse: false })) },
  linked: { revision: '', folders: [{ path: 'links', recurse: true }] },
  tagged: { revision: 'v1', folders: [{ path: 'a', recurse: true }] },
}

const places = [
  'top.yaml',
  'a/1.yaml',
  'a/x/1.yaml',
  'a/x/2.yaml',
  'a/y/1.yaml',
  'b/1.yaml',
  'shared/base/1.yaml',
  'c/d/1.yaml',
  'other/1.yaml',
  'd',
]

async function open(path: string): Promise<Repository> {
  const sources = createSources({ world, directory: '/nonexistent', local: [{ path }] })
  await sources.open()
  return sources.repository(path)
}

/** What somebody sees: the ids of his files. */
async function look(repository: Repository, { revision, folders }: Reader) {
  const { snapshot, reading } = await readSnapshot(repository, revision)
  const seen: string[] = []
  for (const { path, recurse } of folders) {
    try {
      seen.push((await snapshot.list(path, { recurse })).files.map((file) => `${file.path} ${file.id}`).join('\n'))
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      seen.push(error.code)
    }
  }
  return { reading, seen: seen.join('\n\n') }
}

test('a commit concerns those whose files it changed', async () => {
  const repo = createRepository()
  made.push(repo)
  const random = seededRandom('readers')
  repo.commit({ 'top.yaml': '0', 'a/1.yaml': '0', 'a/x/1.yaml': '0', 'b/1.yaml': '0', 'shared/base/1.yaml': '0' })
  repo.git('tag', 'v1')
  repo.write({ 'links/own.yaml': 'own' })
  repo.git('-c', 'core.symlinks=true', 'update-index', '--add', '--cacheinfo', `120000,${link(repo)},links/link.yaml`)
  repo.git('commit', '-qm', 'A link')
  repo.git('checkout', '-q', '--', '.')
  const repository = await open(repo.path)
  const known = new Readers()
  const before = new Map<string, string>()
  const note = async (name: string, reader: Reader): Promise<void> => {
    const { reading, seen } = await look(repository, reader)
    known.note(name, [reading])
    before.set(name, seen)
  }
  for (const [name, reader] of Object.entries(readers)) await note(name, reader)
  let inVain = 0
  for (let round = 0; round < 25; round += 1) {
    for (let changes = 1 + random.int(2); changes > 0; changes -= 1) {
      const place = places[random.int(places.length)] ?? ''
      if (random.int(4) > 0) repo.write({ [place]: `${round}` })
      else repo.git('rm', '-q', '--ignore-unmatch', place)
    }
    if (random.int(5) === 0) repo.git('tag', '-f', 'v1')
    repo.commit()
    const moved = await repository.refresh()
    const { changed, renamed } = await known.concerned(repository, { moved, followers: Object.keys(readers) })
    for (const [name, reader] of Object.entries(readers)) {
      const was = before.get(name)
      await note(name, reader)
      if (before.get(name) !== was) expect(changed, `round ${round}`).toContain(name)
      else if (changed.has(name)) inVain += 1
      if (name !== 'tagged') expect(changed.has(name) || renamed.includes(name)).toBe(true)
    }
  }
  // Links are followed anywhere, so every commit concerns who reads some.
  expect(inVain).toBeLessThan(25 + 15)
})

const link = (repo: TestRepository): string => {
  repo.write({ target: '../shared/base/1.yaml' })
  const id = repo.git('hash-object', '-w', 'target')
  repo.git('clean', '-qfd', '--', 'target')
  return id
}

test('what was not read to its end, or cannot be read any more, concerns every commit', async () => {
  const repo = createRepository()
  made.push(repo)
  repo.commit({ 'a/1.yaml': '1', 'b/1.yaml': '1' })
  repo.git('branch', 'side')
  const repository = await open(repo.path)
  const known = new Readers()
  const side = await look(repository, { revision: 'side', folders: [{ path: 'b', recurse: true }] })
  known.note('side', [side.reading])
  known.note('absent', [(await look(repository, { revision: '', folders: [{ path: 'c', recurse: true }] })).reading])
  const concerned = async () => {
    const moved = await repository.refresh()
    return [...(await known.concerned(repository, { moved, followers: ['side', 'absent', 'unread'] })).changed].sort()
  }
  expect(await concerned()).toEqual([])
  repo.commit({ 'a/1.yaml': '2' })
  expect(await concerned()).toEqual(['absent', 'unread'])
  repo.git('branch', '-D', 'side')
  expect(await concerned()).toEqual(['absent', 'side', 'unread'])
})

test('who reads while a repository moves can tell', async () => {
  const repo = createRepository()
  made.push(repo)
  repo.commit({ 'a/1.yaml': '1' })
  const repository = await open(repo.path)
  const known = new Readers()
  const { moves } = known
  const old = await look(repository, { revision: '', folders: [{ path: 'a', recurse: true }] })
  repo.commit({ 'a/1.yaml': '2' })
  const moved = await repository.refresh()
  await known.concerned(repository, { moved, followers: [] })
  known.note('late', [old.reading])
  expect(known.moves).not.toBe(moves)
})
