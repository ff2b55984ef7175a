// A repository whose branches stand for one commit: what HEAD, branches, tags and unknown names mean then.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSources, type Pin, SourceError } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository } from './git-repository.ts'

const world = systemWorld({ logLevel: 'silent' })
const url = 'https://git.example.com/team/config.git'
let repo: TestRepository
let first: string
let second: string
beforeEach(() => {
  repo = createRepository()
  first = repo.commit({ 'a.yaml': '1' })
  repo.git('tag', 'v1.0.0')
  repo.git('branch', 'production')
  second = repo.commit({ 'a.yaml': '2' })
  repo.git('remote', 'add', 'origin', url)
})
afterEach(() => repo.remove())

async function open(pin: () => Pin) {
  const sources = createSources({
    world,
    directory: '/nonexistent',
    local: [{ path: repo.path, pin }],
    offline: () => 'do',
  })
  await sources.open()
  const source = sources.repository(url)
  return {
    source,
    sources,
    revision: async (name: string) => (await (await source.snapshot(name)).list('', { recurse: false })).revision,
  }
}

it('all branches mean it, known here or not; tags and commits do not', async () => {
  const { revision } = await open(() => ({ commit: first }))
  for (const name of ['', 'HEAD', 'main', 'production', 'refs/heads/main', 'not-fetched'])
    expect(await revision(name), name).toBe(first)
  expect(await revision(second)).toBe(second)
  expect(await revision(second.slice(0, 9))).toBe(second)
  await expect(revision('refs/tags/v9')).rejects.toThrow('unable to resolve')
  const { revision: newer } = await open(() => ({ commit: second }))
  expect(await newer('v1.0.0')).toBe(first)
  expect(await newer('1.x')).toBe(first)
})

it('branches can be chosen: the others stay what they are', async () => {
  const { revision } = await open(() => ({ commit: second, branches: ['main', 'release'] }))
  expect(await Promise.all(['HEAD', 'main', 'release', 'production'].map(revision))).toEqual([
    second,
    second,
    second,
    first,
  ])
  await expect(revision('not-fetched')).rejects.toThrow('unable to resolve')
})

it('moves on at a refresh, to uncommitted files too', async () => {
  let pin: Pin = { commit: first }
  const { source, revision } = await open(() => pin)
  expect([await revision('main'), source.readsFiles]).toEqual([first, false])
  pin = { commit: second, worktree: true }
  expect(await source.refresh()).toBe(true)
  repo.write({ 'a.yaml': '3' })
  expect(await revision('main')).toMatch(/\+worktree\./)
  expect([await revision('not-fetched'), await revision('v1.0.0')]).toEqual([
    expect.stringContaining('+worktree'),
    first,
  ])
})

it('without a network everything else is refused, with what to do', async () => {
  const { sources } = await open(() => ({}))
  const other = 'https://user:secret@git.example.com/team/other.git'
  expect(() => sources.repository(other)).toThrow(SourceError)
  expect(() => sources.repository(other)).toThrow(
    'https://git.example.com/team/other.git is not here, and nothing is fetched: do',
  )
  expect(() => sources.repository('https://charts.example.com', 'redis')).toThrow('chart redis of https://charts')
})
