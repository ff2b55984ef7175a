// Repositories that are large, odd or not whole.

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createRenderer } from '#gitops/render'
import { createSources, type Repository } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'
import { startGitServer } from './git-server.ts'
import { configMap } from './reconciler.ts'

const world = systemWorld()
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function repository(): TestRepository {
  const repo = createRepository()
  ends.push(() => repo.remove())
  return repo
}

function folder(name: string): string {
  const path = temporaryDirectory(name)
  ends.push(() => rmSync(path, { recursive: true }))
  return path
}

/** Its remote is fetched. */
async function served(repo: TestRepository): Promise<Repository> {
  const root = folder('served')
  repo.git('clone', '-q', '--bare', repo.path, join(root, 'shop.git'))
  const server = await startGitServer({ root })
  ends.push(() => server.close())
  return opened(`${server.url}/shop.git`)
}

async function opened(url: string, local: readonly string[] = []): Promise<Repository> {
  const sources = createSources({ world, directory: folder('mirrors'), local: local.map((path) => ({ path })) })
  await sources.open()
  const source = sources.repository(url)
  await source.refresh()
  return source
}

const pathsOf = async (source: Repository, path = '.'): Promise<readonly string[]> =>
  (await (await source.snapshot('')).list(path, { recurse: true })).files.map((file) => file.path)

test('names of all kinds are what they are: case, accents in both forms, blanks, quotes', async () => {
  const repo = repository()
  const names = [
    'A.yaml',
    'a.yaml',
    'b "c" d.yaml',
    'stra\u00dfe/\u00fc.yaml',
    'e\u0301.yaml',
    '\u00e9.yaml',
    '\u{1f600}.yaml',
    '--x.yaml',
  ]
  repo.commit(Object.fromEntries(names.map((name) => [name, name])))
  const source = await served(repo)
  expect([...(await pathsOf(source))].sort()).toEqual([...names].sort())
  expect(await pathsOf(source, 'stra\u00dfe')).toEqual(['\u00fc.yaml'])
  const snapshot = await source.snapshot('')
  for (const file of (await snapshot.list('.', { recurse: true })).files)
    expect(Buffer.from(await snapshot.read('.', file)).toString()).toBe(file.path)
})

/** Commits many files at once, much quicker than through a working tree. */
function importFiles(repo: TestRepository, files: readonly (readonly [string, string])[]): void {
  const entry = ([path, text]: readonly [string, string]): string =>
    `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
  const head = 'commit refs/heads/main\ncommitter test <test@example.com> 1767225600 +0000\ndata 4\nmany\n'
  const input = `${head}${files.map(entry).join('')}\n`
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repo.path, input })
}

test('5,000 files are fetched and listed', async () => {
  const repo = repository()
  importFiles(
    repo,
    Array.from({ length: 5000 }, (_, index) => [`d${index % 50}/f${index}.yaml`, `n: ${index}`] as const),
  )
  const source = await served(repo)
  expect(await pathsOf(source)).toHaveLength(5000)
  expect(await pathsOf(source, 'd7')).toHaveLength(100)
})

test('a shallow clone has what was fetched of it', async () => {
  const repo = repository()
  const first = repo.commit({ 'a.yaml': '1' })
  repo.commit({ 'b.yaml': '2' })
  const clone = join(folder('clone'), 'shallow')
  repo.git('clone', '-q', '--depth', '1', `file://${repo.path}`, clone)
  const source = await opened(clone, [clone])
  expect(await pathsOf(source)).toEqual(['a.yaml', 'b.yaml'])
  await expect(source.snapshot(first)).rejects.toThrow(/unable to resolve/)
})

test('a pointer of Git LFS is told, and the other manifests are read', async () => {
  const repo = repository()
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`
  repo.commit({ 'web/big.yaml': pointer, 'web/a.yaml': configMap('a', '1') })
  const source = await opened(repo.path, [repo.path])
  const rendered = await createRenderer({ world }).render({
    snapshot: await source.snapshot(''),
    path: 'web',
    source: { repoURL: repo.path, path: 'web' },
    references: new Map(),
    buildOptions: '',
    environment: {
      app: { name: 'web', project: 'default', namespace: 'shop' },
      capabilities: { kubeVersion: '1.34.0', apiVersions: [] },
    },
  })
  expect(rendered.objects.map(({ object }) => object.metadata.name)).toEqual(['a'])
  expect(rendered.problems).toMatchObject([{ file: 'big.yaml', message: expect.stringMatching(/pointer of Git LFS/) }])
})
