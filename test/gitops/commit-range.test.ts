// Which two commits a plan compares when it is told little, and what it says when they cannot be found.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RangeWish, readCommitRange } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'

let repo: TestRepository
beforeEach(() => {
  repo = createRepository()
})
afterEach(() => repo.remove())

async function range(wish: Partial<RangeWish> = {}): Promise<readonly (readonly [id: string, name: string])[]> {
  const world = systemWorld({ logLevel: 'silent' })
  try {
    const { from, to } = await readCommitRange(world, { path: repo.path, worktree: false, ...wish })
    return [
      [from.id, from.name],
      [to.id, to.name],
    ]
  } finally {
    world.close()
  }
}

describe('without a wish', () => {
  it('a branch is compared with where it has left the default branch', async () => {
    const base = repo.commit({ a: '1' })
    repo.git('checkout', '-qb', 'feature')
    repo.commit({ b: '1' })
    const tip = repo.commit({ b: '2' })
    repo.git('checkout', '-q', 'main')
    repo.commit({ a: '2' })
    repo.git('checkout', '-q', 'feature')
    expect(await range()).toEqual([
      [base, 'merge base with main'],
      [tip, 'HEAD'],
    ])
  })

  it('a merge of the default branch moves that place on', async () => {
    repo.commit({ a: '1' })
    repo.git('checkout', '-qb', 'feature')
    repo.commit({ b: '1' })
    repo.git('checkout', '-q', 'main')
    const merged = repo.commit({ a: '2' })
    repo.git('checkout', '-q', 'feature')
    repo.git('merge', '-q', '--no-edit', 'main')
    expect((await range())[0]).toEqual([merged, 'merge base with main'])
  })

  it("the remote's default branch comes before one of the same name here", async () => {
    const first = repo.commit({ a: '1' })
    repo.git('update-ref', 'refs/remotes/origin/main', first)
    const second = repo.commit({ a: '2' })
    expect(await range()).toEqual([
      [first, 'merge base with origin/main'],
      [second, 'HEAD'],
    ])
  })

  it('on the default branch the last commit is shown, and with uncommitted files those', async () => {
    const first = repo.commit({ a: '1' })
    const second = repo.commit({ a: '2' })
    expect(await range()).toEqual([
      [first, 'the commit before'],
      [second, 'HEAD'],
    ])
    expect(await range({ worktree: true })).toEqual([
      [second, 'the last commit'],
      [second, 'the files on top of HEAD'],
    ])
  })
})

describe('names', () => {
  it('are what git takes: tags, short ids, parents', async () => {
    const first = repo.commit({ a: '1' })
    repo.git('tag', '-am', 'one', 'v1')
    const second = repo.commit({ a: '2' })
    const third = repo.commit({ a: '3' })
    const ids = async (from: string, to: string) => (await range({ from, to })).map(([id]) => id)
    expect(await ids('v1', 'main')).toEqual([first, third])
    expect(await ids('HEAD~2', 'HEAD^')).toEqual([first, second])
    expect(await ids(first.slice(0, 8), 'v1^0')).toEqual([first, first])
  })

  it.each([
    ['nothing', /unable to resolve 'nothing' to a commit SHA \(in a shallow clone/],
    ['HEAD~7', /unable to resolve 'HEAD~7': commit .{7} has no such parent/],
    ['a..b', /is not a valid revision/],
  ])('%s is told', async (from, message) => {
    repo.commit({ a: '1' })
    repo.commit({ a: '2' })
    await expect(range({ from })).rejects.toThrow(message)
  })
})

it('a folder that is no root of a repository is told, with what to name instead', async () => {
  repo.commit({ 'deploy/a.yaml': '' })
  await expect(range({ path: join(repo.path, 'deploy') })).rejects.toThrow(
    `is a folder of the repository ${repo.path}: name that one, with --path deploy`,
  )
  const plain = temporaryDirectory('plain')
  mkdirSync(join(plain, 'x'))
  await expect(range({ path: plain })).rejects.toThrow('is not a git repository')
  await expect(range({ path: join(plain, 'none') })).rejects.toThrow('there is no repository at')
})

it('a history that ends too early is told', async () => {
  repo.commit({ a: '1' })
  repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  repo.git('checkout', '-q', '--orphan', 'apart')
  repo.commit({ b: '1' })
  await expect(range()).rejects.toThrow('have no commit in common that is here: fetch the whole history')
})
