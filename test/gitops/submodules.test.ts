// Submodules: their files at the recorded commit, from remotes and from what git has checked out, and what hostile ones may not.

import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSources, type RemoteAccess, type Repository, type SourcesOptions } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'
import { type GitServer, startGitServer } from './git-server.ts'

const world = systemWorld()
let root: string
let mirrors: string
let app: TestRepository
let lib: TestRepository
let server: GitServer

beforeEach(async () => {
  root = temporaryDirectory('served')
  mirrors = temporaryDirectory('mirrors')
  app = createRepository(join(temporaryDirectory('app')))
  lib = createRepository(join(temporaryDirectory('lib')))
  server = await startGitServer({ root })
})
afterEach(async () => {
  await server.close()
  for (const path of [root, mirrors]) rmSync(path, { recursive: true, force: true })
  for (const each of [app, lib]) each.remove()
})

function publish(repo: TestRepository, name: string): void {
  repo.git('init', '-q', '--bare', '-b', 'main', join(root, name))
  repo.git('push', '-q', '--force', join(root, name), 'main')
}

/** Records a commit at a path, as `git submodule add` does. */
function addModule(
  repo: TestRepository,
  path: string,
  { url, id }: { readonly url: string; readonly id: string },
): string {
  repo.write({ '.gitmodules': `[submodule "${path}"]\n  path = ${path}\n  url = ${url}\n` })
  repo.git('add', '-A')
  repo.git('update-index', '--add', '--cacheinfo', `160000,${id},${path}`)
  repo.git('commit', '-q', '-m', 'submodule')
  return repo.git('rev-parse', 'HEAD')
}

const open = async (name = 'app.git', more: Partial<SourcesOptions> = {}): Promise<Repository> => {
  const source = createSources({ world, directory: mirrors, ...more }).repository(`${server.url}/${name}`)
  await source.refresh()
  return source
}

async function contents(source: Repository, path = '.', recurse = true): Promise<Readonly<Record<string, string>>> {
  const snapshot = await source.snapshot('')
  const { files } = await snapshot.list(path, { recurse })
  const found: Record<string, string> = {}
  for (const file of files)
    found[file.path] =
      file.problem ??
      Buffer.from(await snapshot.read(path, file))
        .toString()
        .trim()
  return found
}

describe('a submodule', () => {
  test('is read at the recorded commit, wherever its branch has gone', async () => {
    const first = lib.commit({ 'l.yaml': 'one', 'deep/m.yaml': 'm' })
    publish(lib, 'lib.git')
    app.commit({ 'a.yaml': 'a', 'z.yaml': 'z' })
    addModule(app, 'libs/common', { url: '../lib.git', id: first })
    lib.commit({ 'l.yaml': 'two' })
    publish(lib, 'lib.git')
    publish(app, 'app.git')
    const source = await open()
    expect(server.requests.some((request) => request.includes('lib.git'))).toBe(false)
    const all = await contents(source)
    expect(Object.keys(all)).toEqual([
      '.gitmodules',
      'a.yaml',
      'libs/common/deep/m.yaml',
      'libs/common/l.yaml',
      'z.yaml',
    ])
    expect(all['libs/common/l.yaml']).toBe('one')
    expect(await contents(source, 'libs/common')).toEqual({ 'deep/m.yaml': 'm', 'l.yaml': 'one' })
    expect(await contents(source, 'libs/common/deep')).toEqual({ 'm.yaml': 'm' })
    await expect(contents(source, 'libs/common/none')).rejects.toThrow(
      'submodule libs/common: none: app path does not exist',
    )
    // What is here is not asked for again.
    const before = server.requests.length
    expect(await contents(source)).toEqual(all)
    expect(server.requests.length).toBe(before)
    // A recorded commit that is newer than the mirror is fetched.
    addModule(app, 'libs/common', { url: '../lib.git', id: lib.git('rev-parse', 'HEAD') })
    publish(app, 'app.git')
    await source.refresh()
    expect((await contents(await open()))['libs/common/l.yaml']).toBe('two')
  })

  test('may have submodules, but not without end', async () => {
    const inner = createRepository()
    const id = inner.commit({ 'i.yaml': 'i' })
    publish(inner, 'inner.git')
    inner.remove()
    lib.commit({ 'l.yaml': 'l' })
    const libId = addModule(lib, 'inner', { url: '../inner.git', id })
    publish(lib, 'lib.git')
    addModule(app, 'lib', { url: '../lib.git', id: libId })
    publish(app, 'app.git')
    expect((await contents(await open()))['lib/inner/i.yaml']).toBe('i')
    // Each of its commits has the one before as a submodule.
    for (let depth = 0; depth < 5; depth++) addModule(app, 'lib', { url: './', id: app.git('rev-parse', 'HEAD') })
    publish(app, 'app.git')
    await expect(contents(await open())).rejects.toThrow(/submodule lib: .*nested more than 5 deep/)
  })

  test('that is away is told by name, and only to who reads below it', async () => {
    lib.commit({ 'l.yaml': 'l' })
    app.commit({ 'web/a.yaml': 'a' })
    addModule(app, 'lib', { url: '../gone.git', id: lib.git('rev-parse', 'HEAD') })
    publish(app, 'app.git')
    const source = await open()
    expect(await contents(source, 'web')).toEqual({ 'a.yaml': 'a' })
    expect(Object.keys(await contents(source, '.', false))).toEqual(['.gitmodules'])
    await expect(contents(source, 'lib')).rejects.toThrow(/^submodule lib: git fetch http.*gone\.git: HTTP Error: 404/)
    await expect(contents(source)).rejects.toThrow(/^submodule lib: /)
  })

  test('whose commit nobody has is told', async () => {
    lib.commit({ 'l.yaml': 'l' })
    publish(lib, 'lib.git')
    addModule(app, 'lib', { url: '../lib.git', id: '1'.repeat(40) })
    publish(app, 'app.git')
    await expect(contents(await open(), 'lib')).rejects.toThrow(
      /^submodule lib: .*lib\.git has no commit 1{40}: no branch or tag leads to it, and the server does not give it out$/,
    )
  })

  test('that .gitmodules does not name is told', async () => {
    addModule(app, 'lib', { url: '../lib.git', id: '1'.repeat(40) })
    app.git('rm', '-q', '--cached', '.gitmodules')
    app.git('commit', '-q', '-m', 'forgotten')
    publish(app, 'app.git')
    await expect(contents(await open(), 'lib')).rejects.toThrow(
      'submodule lib: .gitmodules does not say where it comes from',
    )
  })

  test('from a path of this machine is refused', async () => {
    addModule(app, 'lib', { url: lib.path, id: lib.commit({ 'l.yaml': 'l' }) })
    publish(app, 'app.git')
    await expect(contents(await open(), 'lib')).rejects.toThrow(/^submodule lib: .* is a path of this machine/)
  })

  test('is read with the access that is said for its own address', async () => {
    const id = lib.commit({ 'l.yaml': 'l' })
    publish(lib, 'lib.git')
    const guarded = await startGitServer({ root, username: 'me', password: 'sesame' })
    addModule(app, 'lib', { url: `${guarded.url}/lib.git`, id })
    publish(app, 'app.git')
    await expect(contents(await open(), 'lib')).rejects.toThrow(/submodule lib: .*401/)
    const access = (url: string): RemoteAccess =>
      url.startsWith(guarded.url) ? { credentials: { username: 'me', password: 'sesame' } } : {}
    expect(await contents(await open('app.git', { access }), 'lib')).toEqual({ 'l.yaml': 'l' })
    await guarded.close()
  })

  test('is an empty folder where submodules are switched off', async () => {
    const id = lib.commit({ 'l.yaml': 'l' })
    publish(lib, 'lib.git')
    app.commit({ 'a.yaml': 'a' })
    addModule(app, 'lib', { url: '../lib.git', id })
    publish(app, 'app.git')
    const source = await open('app.git', { submodules: () => false })
    expect(Object.keys(await contents(source))).toEqual(['.gitmodules', 'a.yaml'])
    await expect(contents(source, 'lib')).rejects.toThrow(
      /lib: is in the submodule lib, and submodules are switched off/,
    )
    expect(server.requests.some((request) => request.includes('lib.git'))).toBe(false)
  })
})

test('links lead neither into a submodule nor out of one', async () => {
  symlinkSync('../a.yaml', join(lib.path, 'out.yaml'))
  const id = lib.commit({ 'l.yaml': 'l' })
  publish(lib, 'lib.git')
  symlinkSync('lib/l.yaml', join(app.path, 'in.yaml'))
  app.commit({ 'a.yaml': 'a' })
  addModule(app, 'lib', { url: '../lib.git', id })
  publish(app, 'app.git')
  const found = await contents(await open())
  expect(found['in.yaml']).toBe('the symbolic link leads into a submodule')
  expect(found['lib/out.yaml']).toBe('the symbolic link leaves the repository')
})

describe('a repository on this machine', () => {
  const local = async (path: string, worktree = false) => {
    const sources = createSources({ world, directory: mirrors, local: [{ path, worktree }] })
    await sources.open()
    return sources.repository(path)
  }

  test('has the submodules that git has fetched for it, without a network', async () => {
    lib.commit({ 'l.yaml': 'l' })
    app.commit({ 'a.yaml': 'a' })
    app.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '--name', 'x/lib', lib.path, 'lib')
    app.commit()
    const all = await contents(await local(app.path))
    expect(all).toMatchObject({ 'a.yaml': 'a', 'lib/l.yaml': 'l' })
    const committed = await (await (await local(app.path, true)).snapshot('')).list('.', { recurse: true })
    expect(committed.revision).toBe(app.git('rev-parse', 'HEAD'))
    const deinitialised = createRepository()
    deinitialised.git('pull', '-q', app.path, 'main')
    await expect(contents(await local(deinitialised.path), 'lib')).rejects.toThrow(
      /submodule lib: .*is a path of this machine, which no repository may name/,
    )
    deinitialised.remove()
  })
})
