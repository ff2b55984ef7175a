import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createSources, type Repository } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'

const world = systemWorld()
const made: (() => void)[] = []
afterEach(() => {
  for (const remove of made.splice(0)) remove()
})

function repository(): TestRepository {
  const repo = createRepository()
  made.push(() => repo.remove())
  return repo
}

function directory(): string {
  const path = temporaryDirectory('files')
  made.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function open(path: string, worktree = false): Promise<Repository> {
  const sources = createSources({ world, directory: '/nonexistent', local: [{ path, worktree }] })
  await sources.open()
  return sources.repository(path)
}

const paths = async (repo: Repository, path = '.', options: { recurse?: boolean; revision?: string } = {}) =>
  (await (await repo.snapshot(options.revision ?? '')).list(path, { recurse: options.recurse ?? true })).files.map(
    (file) => file.path,
  )

async function text(repo: Repository, path: string, name: string, revision = ''): Promise<string> {
  const snapshot = await repo.snapshot(revision)
  const file = (await snapshot.list(path, { recurse: true })).files.find((each) => each.path === name)
  if (file === undefined) throw new Error(`no file ${name}`)
  return Buffer.from(await snapshot.read(path, file)).toString()
}

describe('a local repository, by commit', () => {
  test('shows what is committed, not what lies about', async () => {
    const repo = repository()
    const first = repo.commit({ 'app/a.yaml': 'one\n', 'app/sub/b.yaml': 'b\n', 'README.md': 'x' })
    repo.write({ 'app/a.yaml': 'uncommitted\n', 'app/new.yaml': 'new\n' })
    const source = await open(repo.path)
    expect(await paths(source, 'app')).toEqual(['a.yaml', 'sub/b.yaml'])
    expect(await paths(source, 'app', { recurse: false })).toEqual(['a.yaml'])
    expect(await text(source, 'app', 'a.yaml')).toBe('one\n')
    expect((await (await source.snapshot('HEAD')).list('app', { recurse: true })).revision).toBe(first)
  })

  test('resolves branches, tags (annotated too), commits and short commits', async () => {
    const repo = repository()
    const first = repo.commit({ 'a.yaml': '1' })
    repo.git('tag', 'light')
    repo.git('tag', '-a', 'v1', '-m', 'one')
    repo.git('branch', 'feature/x')
    const second = repo.commit({ 'a.yaml': '2' })
    repo.git('pack-refs', '--all')
    repo.git('gc', '-q')
    const source = await open(repo.path)
    const resolve = async (revision: string) =>
      (await (await source.snapshot(revision)).list('', { recurse: false })).revision
    expect(await Promise.all(['', 'HEAD', 'main', 'refs/heads/main', second].map(resolve))).toEqual(
      Array(5).fill(second),
    )
    expect(await Promise.all(['light', 'v1', 'feature/x', first, first.slice(0, 8)].map(resolve))).toEqual(
      Array(5).fill(first),
    )
    expect(await source.describe(first)).toMatchObject({
      author: 'Ada <ada@example.com>',
      message: 'change',
      dateMs: Date.UTC(2026, 0, 1),
    })
  })

  test('a commit is seen after a refresh, and an untouched path keeps its listing', async () => {
    const repo = repository()
    repo.commit({ 'a/x.yaml': '1', 'b/y.yaml': '1' })
    const source = await open(repo.path)
    const before = await (await source.snapshot('')).list('b', { recurse: true })
    expect(await source.refresh()).toBe(false)
    const second = repo.commit({ 'a/x.yaml': '2' })
    expect(await source.refresh()).toBe(true)
    const after = await (await source.snapshot('')).list('b', { recurse: true })
    expect(after.revision).toBe(second)
    expect(after.files).toBe(before.files)
  })

  test('a linked worktree and a bare clone are repositories too', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': 'main' })
    const linked = join(directory(), 'linked')
    repo.git('worktree', 'add', '-q', '-b', 'side', linked)
    writeFileSync(join(linked, 'a.yaml'), 'side')
    repo.git('-C', linked, 'commit', '-qam', 'side')
    const bare = join(directory(), 'bare.git')
    repo.git('clone', '-q', '--bare', repo.path, bare)
    expect(await text(await open(linked), '.', 'a.yaml')).toBe('side')
    expect(await text(await open(repo.path), '.', 'a.yaml')).toBe('main')
    expect(await text(await open(bare), '.', 'a.yaml')).toBe('main')
  })

  test('a clone that borrows objects from another', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': 'borrowed' })
    const clone = join(directory(), 'clone')
    repo.git('clone', '-q', '--shared', repo.path, clone)
    expect(await text(await open(clone), '.', 'a.yaml')).toBe('borrowed')
  })

  test('is never written to', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': '1' })
    const before = repo.git('status', '--porcelain', '--ignored')
    const files = repo.git('ls-files', '-s')
    const source = await open(repo.path, true)
    await paths(source)
    expect(repo.git('status', '--porcelain', '--ignored')).toBe(before)
    expect(repo.git('ls-files', '-s')).toBe(files)
    expect(repo.git('fsck')).toBe('')
  })

  test('a path that vanished keeps the last state and says so', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': '1' })
    const source = await open(repo.path)
    await paths(source)
    repo.remove()
    expect(await source.refresh()).toBe(true)
    expect(source.state.trouble?.message).toMatch(/no such directory/)
    expect(await paths(source)).toEqual(['a.yaml'])
    const { sinceMs } = source.state.trouble ?? {}
    await source.refresh()
    expect(source.state.trouble?.sinceMs).toBe(sinceMs)
  })
})

describe('hostile and broken input', () => {
  test('links inside the repository are followed, those that leave it are refused', async () => {
    const repo = repository()
    repo.write({ 'shared/common.yaml': 'shared', 'app/own.yaml': 'own' })
    symlinkSync('../shared/common.yaml', join(repo.path, 'app/inside.yaml'))
    symlinkSync('../../../etc/passwd', join(repo.path, 'app/outside.yaml'))
    symlinkSync('/etc/passwd', join(repo.path, 'app/absolute.yaml'))
    symlinkSync('nowhere.yaml', join(repo.path, 'app/dangling.yaml'))
    symlinkSync('loop.yaml', join(repo.path, 'app/loop.yaml'))
    symlinkSync('../shared', join(repo.path, 'app/folder'))
    repo.commit()
    for (const worktree of [false, true]) {
      const source = await open(repo.path, worktree)
      const snapshot = await source.snapshot('')
      const { files } = await snapshot.list('app', { recurse: true })
      expect(files.map((file) => [file.path, file.problem !== undefined])).toEqual([
        ['absolute.yaml', true],
        ['inside.yaml', false],
        ['outside.yaml', true],
        ['own.yaml', false],
      ])
      expect(await text(source, 'app', 'inside.yaml')).toBe('shared')
      const outside = files.find((file) => file.path === 'outside.yaml')
      await expect(snapshot.read('app', outside ?? { path: '', id: '' })).rejects.toThrow(/leaves the repository/)
    }
  })

  test.each([
    ['../other', /app path outside root/],
    ['/etc', /app path is absolute/],
    ['a/../../x', /app path outside root/],
    ['.git', /inside \.git/],
    ['missing', /missing: app path does not exist/],
    ['file.yaml', /app path is not a directory/],
  ])('path %s', async (path, message) => {
    const repo = repository()
    repo.commit({ 'file.yaml': 'x' })
    await expect(paths(await open(repo.path), path)).rejects.toThrow(message)
  })

  test('a file above the limit is refused', async () => {
    const repo = repository()
    repo.commit({ 'big.yaml': Buffer.alloc(10 * 1024 * 1024 + 1, 'a') })
    for (const worktree of [false, true]) {
      await expect(text(await open(repo.path, worktree), '.', 'big.yaml')).rejects.toThrow(/more than the limit/)
    }
  })

  test('revisions that do not exist or are no revisions', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': '1' })
    const source = await open(repo.path)
    await expect(source.snapshot('nope')).rejects.toThrow("unable to resolve 'nope' to a commit SHA")
    await expect(source.snapshot('^7.0.0')).rejects.toThrow("unable to resolve '^7.0.0': no tag is a version that fits")
    await expect(source.snapshot('f'.repeat(40))).rejects.toThrow(/unable to resolve/)
    await expect(source.snapshot('--output=x')).rejects.toThrow(/is not a valid revision/)
  })

  test('a range of versions means the highest tag that fits, whether annotated or not', async () => {
    const repo = repository()
    const first = repo.commit({ 'a.yaml': '1' })
    repo.git('tag', 'v1.0.0')
    const second = repo.commit({ 'a.yaml': '2' })
    repo.git('tag', '-a', '-m', 'two', 'v1.1.0')
    const source = await open(repo.path)
    const revision = async (wanted: string) =>
      (await (await source.snapshot(wanted)).list('.', { recurse: false })).revision
    expect([await revision('1.*'), await revision('1.0.x'), await revision('>=1.0.0, <2.0.0')]).toEqual([
      second,
      first,
      second,
    ])
    repo.git('branch', '1.0', second)
    await source.refresh()
    expect(await revision('1.0')).toBe(second)
    repo.commit({ 'a.yaml': '3' })
    repo.git('tag', 'v1.2.0')
    await source.refresh()
    expect(await revision('1.*')).not.toBe(second)
  })

  test('a repository without commits', async () => {
    const source = await open(repository().path)
    await expect(source.snapshot('')).rejects.toThrow(/has no commits/)
  })

  test('an object that is missing is told', async () => {
    const repo = repository()
    repo.commit({ 'app/a.yaml': '1' })
    const tree = repo.git('rev-parse', 'HEAD:app')
    rmSync(join(repo.path, '.git/objects', tree.slice(0, 2), tree.slice(2)))
    await expect(paths(await open(repo.path), 'app')).rejects.toThrow(`object ${tree} is missing`)
  })

  test('SHA-256 repositories say that they are not supported', async () => {
    const path = directory()
    mkdirSync(join(path, '.git/objects'), { recursive: true })
    writeFileSync(join(path, '.git/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(path, '.git/config'), '[extensions]\n\tobjectFormat = sha256\n')
    const source = await open(path)
    expect(source.state).toMatchObject({ ready: false, trouble: { message: expect.stringMatching(/SHA-256/) } })
  })
})

describe('files that are not committed', () => {
  test('a plain directory has a revision made of its content', async () => {
    const path = directory()
    writeFileSync(join(path, 'a.yaml'), '1')
    const source = await open(path)
    const list = async () => (await source.snapshot('')).list('.', { recurse: true })
    const first = await list()
    expect(first.revision).toMatch(/^[0-9a-f]{40}$/)
    expect((await list()).revision).toBe(first.revision)
    writeFileSync(join(path, 'a.yaml'), '22')
    expect((await list()).revision).not.toBe(first.revision)
    await expect(source.snapshot('main')).rejects.toThrow(/plain directory/)
  })

  test('a worktree shows changes, hides what git ignores, and is its commit when clean', async () => {
    const repo = repository()
    const head = repo.commit({ 'app/a.yaml': '1', '.gitignore': 'secret.yaml\nbuild/\n' })
    const source = await open(repo.path, true)
    const list = async () => (await source.snapshot('')).list('app', { recurse: true })
    expect((await list()).revision).toBe(head)
    repo.write({ 'app/b.yaml': 'new', 'app/secret.yaml': 's', 'app/build/out.yaml': 'o' })
    const dirty = await list()
    expect(dirty.files.map((file) => file.path)).toEqual(['a.yaml', 'b.yaml'])
    expect(dirty.revision).toMatch(new RegExp(`^${head.slice(0, 7)}\\+worktree\\.[0-9a-f]{12}$`))
    expect((await (await source.snapshot(head)).list('app', { recurse: true })).files).toHaveLength(1)
  })
})

describe('which repository a URL means', () => {
  test('the own remote is the local checkout, other local paths are refused', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': '1' })
    repo.git('remote', 'add', 'origin', 'git@github.com:Example/Shop.git')
    const sources = createSources({ world, directory: '/nonexistent', local: [{ path: repo.path }] })
    await sources.open()
    const source = sources.repository('https://github.com/example/shop')
    expect(source.url).toBe(repo.path)
    expect(sources.repository(`file://${repo.path}`)).toBe(source)
    expect(sources.matching('https://token@github.com/example/shop.git')).toEqual([source])
    expect(() => sources.repository('/etc')).toThrow(/named at start/)
    expect(sources.repository('git@elsewhere.example.com:a/b')).toMatchObject({
      type: 'remote',
      state: { ready: false },
    })
  })
})

describe('a local path that a manifest names, below one that was named at start', () => {
  test('may not lead out of it: by a link, or by a git directory that points elsewhere', async () => {
    const root = directory()
    const outside = repository()
    outside.commit({ 'secret.yaml': 'secret' })
    mkdirSync(join(root, 'fine'))
    writeFileSync(join(root, 'fine/a.yaml'), '1')
    symlinkSync(outside.path, join(root, 'link'))
    mkdirSync(join(root, 'pointer'))
    writeFileSync(join(root, 'pointer/.git'), `gitdir: ${outside.path}/.git\n`)
    mkdirSync(join(root, 'bare/objects/info'), { recursive: true })
    writeFileSync(join(root, 'bare/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(root, 'bare/objects/info/alternates'), `${outside.path}/.git/objects\n`)
    mkdirSync(join(root, 'common/objects'), { recursive: true })
    writeFileSync(join(root, 'common/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(root, 'common/commondir'), `${outside.path}/.git\n`)
    const sources = createSources({ world, directory: '/nonexistent', local: [{ path: root }] })
    await sources.open()
    const fine = sources.repository(join(root, 'fine'))
    await fine.refresh()
    expect(await paths(fine)).toEqual(['a.yaml'])
    for (const name of ['link', 'pointer', 'bare', 'common']) {
      const source = sources.repository(join(root, name))
      await source.refresh()
      expect(source.state.trouble?.message, name).toMatch(/leads out of/)
      await expect(source.snapshot(''), name).rejects.toThrow(/leads out of/)
    }
    // A link that takes the place of a folder which was fine before.
    rmSync(join(root, 'fine'), { recursive: true })
    symlinkSync(outside.path, join(root, 'fine'))
    await expect(paths(fine)).rejects.toThrow(/leads out of/)
  })
})

describe('following', () => {
  test('goes on when the folder was replaced by another clone', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': '1' })
    const clone = join(directory(), 'clone')
    const cloneAnew = (): void => {
      rmSync(clone, { recursive: true, force: true })
      repo.git('clone', '-q', repo.path, clone)
    }
    cloneAnew()
    const source = await open(clone)
    let told = 0
    let count = 0
    const stop = source.follow(() => told++)
    cloneAnew()
    // The reconciler reads local repositories now and then without being told.
    await source.refresh()
    await expect
      .poll(
        () => {
          repo.git('-C', clone, 'branch', `b${count++}`)
          return told
        },
        { timeout: 10_000, interval: 300 },
      )
      .toBeGreaterThan(2)
    stop()
  })

  test('a commit, a new file in a worktree and a new file in a directory are told', async () => {
    const repo = repository()
    repo.commit({ 'a.yaml': '1' })
    const plain = directory()
    const cases: readonly (readonly [string, boolean, () => void])[] = [
      [repo.path, false, () => void repo.commit({ 'a.yaml': '2' })],
      [repo.path, true, () => repo.write({ 'b.yaml': 'x' })],
      [plain, false, () => writeFileSync(join(plain, 'c.yaml'), 'x')],
    ]
    for (const [path, worktree, change] of cases) {
      const source = await open(path, worktree)
      await new Promise<void>((resolve, reject) => {
        const stop = source.follow(() => {
          stop()
          resolve()
        })
        // chokidar needs a moment to set its watches up; the change is repeated until it is seen.
        let tries = 0
        const again = (): void => {
          if (tries++ > 50) reject(new Error(`no change seen in ${path}`))
          else setTimeout(again, 200)
        }
        setTimeout(change, 400)
        setTimeout(again, 600)
      })
    }
  })
})
