import { rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSources, type RemoteAccess, type Repository, type Sources } from '#gitops/source'
import { systemWorld } from '#world'
import { createRepository, type TestRepository, temporaryDirectory } from './git-repository.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { overSsh, runLast } from './reach.ts'

const world = systemWorld()
let root: string
let mirrors: string
let repo: TestRepository
let server: GitServer

beforeEach(async () => {
  root = temporaryDirectory('served')
  mirrors = temporaryDirectory('mirrors')
  repo = createRepository(join(temporaryDirectory('origin')))
  server = await startGitServer({ root })
})

afterEach(async () => {
  await server.close()
  for (const path of [root, mirrors]) rmSync(path, { recursive: true, force: true })
  repo.remove()
})

/** Publishes the repository as root/shop.git. */
function publish(): void {
  if (repo.git('remote') === '') {
    repo.git('remote', 'add', 'origin', join(root, 'shop.git'))
    repo.git('init', '-q', '--bare', '-b', 'main', join(root, 'shop.git'))
  }
  repo.git('push', '-q', '--force', '--prune', 'origin', '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*')
}

const newSources = (): Sources => createSources({ world, directory: mirrors })
const shop = (sources = newSources()): Repository => sources.repository(`${server.url}/shop.git`)

async function read(source: Repository, revision = ''): Promise<string> {
  const snapshot = await source.snapshot(revision)
  const { files } = await snapshot.list('.', { recurse: true })
  const file = files.find((each) => each.path === 'a.yaml')
  return file === undefined ? '' : Buffer.from(await snapshot.read('.', file)).toString()
}

describe('an http remote', () => {
  test('is cloned, fetched by what is new, and asked only when nothing moved', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    const source = shop()
    await expect(source.snapshot('')).rejects.toThrow(/not fetched yet/)
    expect(await source.refresh()).toBe(true)
    expect(await read(source)).toBe('1')
    const before = server.requests.length
    expect(await source.refresh()).toBe(false)
    expect(server.requests.slice(before)).toEqual(['GET /shop.git/info/refs?service=git-upload-pack'])
    const second = repo.commit({ 'a.yaml': '2' })
    publish()
    expect(await source.refresh()).toBe(true)
    expect(await read(source)).toBe('2')
    expect(await source.describe(second)).toMatchObject({ id: second, message: 'change' })
    const [mirror = ''] = await readdir(mirrors)
    const packs = join(mirrors, mirror, 'objects/pack')
    const counts: number[] = []
    for (const name of (await readdir(packs)).filter((each) => each.endsWith('.idx')))
      counts.push((await readFile(join(packs, name))).readUInt32BE(8 + 255 * 4))
    expect(counts).toEqual([3, 3])
  })

  test('follows branches, tags that move, deletions and rewritten history', async () => {
    const first = repo.commit({ 'a.yaml': '1' })
    repo.git('tag', '-a', 'release', '-m', 'r1')
    repo.git('branch', 'old')
    publish()
    const source = shop()
    await source.refresh()
    expect(await read(source, 'release')).toBe('1')
    expect(await read(source, 'old')).toBe('1')
    repo.commit({ 'a.yaml': '2' })
    repo.git('tag', '-f', '-a', 'release', '-m', 'r2')
    repo.git('branch', '-D', 'old')
    publish()
    await source.refresh()
    expect(await read(source, 'release')).toBe('2')
    await expect(source.snapshot('old')).rejects.toThrow(/unable to resolve/)
    repo.git('reset', '-q', '--hard', first)
    repo.commit({ 'a.yaml': '3' })
    publish()
    expect(await source.refresh()).toBe(true)
    expect(await read(source)).toBe('3')
    expect(await read(source, first)).toBe('1')
  })

  test('goes on from its mirror after a restart, even without the remote', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    await shop().refresh()
    server.failWith = 503
    const again = shop()
    expect(await again.refresh()).toBe(true)
    expect(await read(again)).toBe('1')
    expect(again.state.trouble?.message).toMatch(/^git fetch http:\/\/127\.0\.0\.1:\d+\/shop\.git: HTTP Error: 503/)
  })

  test('that fails keeps the last good revision, tells since when, and recovers', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    const source = shop()
    await source.refresh()
    server.failWith = 500
    expect(await source.refresh()).toBe(true)
    const since = source.state.trouble?.sinceMs
    expect(await source.refresh()).toBe(false)
    expect(source.state.trouble?.sinceMs).toBe(since)
    expect(await read(source)).toBe('1')
    server.failWith = undefined
    expect(await source.refresh()).toBe(true)
    expect(source.state.trouble).toBeUndefined()
  })

  test('whose pack breaks off is no new revision', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    const source = shop()
    await source.refresh()
    repo.commit({ 'a.yaml': '2', 'b.bin': Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919) % 251)) })
    publish()
    server.cutPackAfter = 700
    await source.refresh()
    expect(source.state.trouble).toBeDefined()
    expect(await read(source)).toBe('1')
    expect(await read(await refreshed(shop()))).toBe('1')
    server.cutPackAfter = undefined
    await source.refresh()
    expect(source.state.trouble).toBeUndefined()
    expect(await read(source)).toBe('2')
  })

  test('a damaged mirror is fetched anew', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    await shop().refresh()
    const [mirror] = await readdir(mirrors)
    rmSync(join(mirrors, mirror ?? '', 'objects'), { recursive: true })
    const source = await refreshed(shop())
    await expect(read(source)).rejects.toThrow()
    await source.refresh()
    expect(await read(source)).toBe('1')
  })

  test('a commit that only a pull request leads to is asked for by its id', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    const source = shop()
    await source.refresh()
    const head = repo.commit({ 'a.yaml': 'of the pull request' })
    repo.git('push', '-q', 'origin', 'HEAD:refs/pull/1/head')
    repo.git('reset', '-q', '--hard', 'HEAD~1')
    expect(await read(source, head)).toBe('of the pull request')
    const before = server.requests.length
    expect(await read(source, head)).toBe('of the pull request')
    expect(server.requests.length).toBe(before)
    expect(await read(source)).toBe('1')
    // Nobody has this one; that is not asked again and again.
    await expect(source.snapshot('1'.repeat(40))).rejects.toThrow(/unable to resolve/)
    const after = server.requests.length
    await expect(source.snapshot('1'.repeat(40))).rejects.toThrow(/unable to resolve/)
    expect(server.requests.length).toBe(after)
  })

  test('an empty repository, and one that is not there', async () => {
    repo.git('init', '-q', '--bare', join(root, 'empty.git'))
    const sources = newSources()
    const empty = await refreshed(sources.repository(`${server.url}/empty.git`))
    expect(empty.state).toMatchObject({ ready: true, trouble: undefined })
    await expect(empty.snapshot('')).rejects.toThrow(/has no commits/)
    const missing = await refreshed(sources.repository(`${server.url}/missing.git`))
    expect(missing.state).toMatchObject({ ready: false, trouble: { message: expect.stringMatching(/404/) } })
  })
})

describe('credentials', () => {
  test('of the URL are used, and are nowhere to be seen', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    await server.close()
    server = await startGitServer({ root, username: 'me', password: 'hunter2' })
    const address = new URL(`${server.url}/shop.git`)
    address.username = 'me'
    address.password = 'hunter2'
    const good = await refreshed(newSources().repository(address.href))
    expect(await read(good)).toBe('1')
    expect(JSON.stringify([good.url, good.key])).not.toContain('hunter2')
    const [mirror] = await readdir(mirrors)
    expect(mirror).not.toContain('hunter2')
    expect(await readFile(join(mirrors, mirror ?? '', 'config'), 'utf8')).not.toContain('hunter2')
    address.password = 'wrong-secret'
    const bad = await refreshed(createSources({ world, directory: `${mirrors}/other` }).repository(address.href))
    expect(bad.state.trouble?.message).toMatch(/authentication failed/)
    expect(JSON.stringify(bad.state)).not.toContain('wrong-secret')
  })

  test('are shown before the server asks where that was said', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    await server.close()
    server = await startGitServer({ root, username: 'me', password: 'hunter2' })
    const open = (atOnce: boolean) => {
      const access = () => ({ credentials: { username: 'me', password: 'hunter2', atOnce } })
      return createSources({ world, directory: `${mirrors}/${atOnce}`, access }).repository(`${server.url}/shop.git`)
    }
    const shown: boolean[] = []
    server.seen = ({ headers }) => shown.push(headers.authorization !== undefined)
    expect(await read(await refreshed(open(false)))).toBe('1')
    expect(shown).toContain(false)
    shown.length = 0
    expect(await read(await refreshed(open(true)))).toBe('1')
    expect(shown).not.toContain(false)
  })

  test('of git’s helpers are used for what a person has named, and for nothing else', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    await server.close()
    server = await startGitServer({ root, username: 'me', password: 'hunter2' })
    const asked = join(mirrors, 'asked')
    writeFileSync(
      join(mirrors, '.gitconfig'),
      `[credential]\n  helper = "!cat >>${asked}; echo username=me; echo password=hunter2; #"\n`,
    )
    const environment = { PATH: process.env['PATH'], HOME: mirrors }
    const url = `${server.url}/shop.git`
    const open = (named?: string) => createSources({ world, directory: `${mirrors}/${named}`, environment, named })
    expect((await refreshed(open().repository(url))).state.trouble?.message).toMatch(/401/)
    expect((await refreshed(open(`${server.url}/other.git`).repository(url))).state.trouble?.message).toMatch(/401/)
    await expect(readFile(asked)).rejects.toThrow()
    expect(await read(await refreshed(open(url).repository(url)))).toBe('1')
    expect(await readFile(asked, 'utf8')).toContain(`host=${new URL(url).host}`)
    writeFileSync(join(mirrors, '.gitconfig'), '')
    expect((await refreshed(open(`${url}/`).repository(url))).state.trouble?.message).toMatch(/401/)
  })

  test('of the environment come after those that people have said, and before git’s helpers', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    await server.close()
    server = await startGitServer({ root, username: 'x-access-token', password: 'right' })
    const helper = 'helper = "!echo username=x-access-token; echo password=right; #"'
    writeFileSync(join(mirrors, '.gitconfig'), `[credential]\n  ${helper}\n`)
    const named = `${server.url}/shop.git`
    const troubleWith = async (token: string, password?: string): Promise<string | undefined> => {
      const environment = { PATH: process.env['PATH'], HOME: mirrors, HOMEOSTAT_REPO_TOKEN: token }
      const credentials = password === undefined ? undefined : { username: 'x-access-token', password }
      const directory = `${mirrors}/${token}-${password}`
      const sources = createSources({ world, directory, environment, named, access: () => ({ credentials }) })
      return (await refreshed(sources.repository(named))).state.trouble?.message
    }
    expect(await troubleWith('right')).toBeUndefined()
    expect(await troubleWith('wrong')).toMatch(/authentication failed/)
    expect(await troubleWith('right', 'wrong')).toMatch(/authentication failed/)
    expect(await troubleWith('')).toBeUndefined()
  })

  test('are missing', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    await server.close()
    server = await startGitServer({ root, username: 'me', password: 'x' })
    const source = await refreshed(shop())
    expect(source.state.trouble?.message).toMatch(/401/)
  })
})

async function refreshed(source: Repository): Promise<Repository> {
  await source.refresh()
  return source
}

describe('an ssh remote', () => {
  const open = (script: string, access?: () => RemoteAccess) => {
    const environment = overSsh(mirrors, script)
    const sources = createSources({ world, directory: mirrors, environment, ...(access && { access }) })
    return sources.repository(`git@git.example:${join(root, 'shop.git')}`)
  }

  test('is read by the system’s git, and follows what moves', async () => {
    repo.commit({ 'a.yaml': '1' })
    repo.git('tag', '-a', 'v1.0.0', '-m', 'one')
    publish()
    const source = open(runLast)
    expect(source.url).toBe(`ssh://git@git.example${join(root, 'shop.git')}`)
    expect(await source.refresh()).toBe(true)
    expect(await read(source)).toBe('1')
    expect(await read(source, '1.*')).toBe('1')
    expect(await source.refresh()).toBe(false)
    repo.commit({ 'a.yaml': '2' })
    repo.git('branch', 'other')
    publish()
    expect(await source.refresh()).toBe(true)
    expect([await read(source), await read(source, 'other'), await read(source, 'v1.0.0')]).toEqual(['2', '2', '1'])
    const head = repo.commit({ 'a.yaml': '3' })
    repo.git('push', '-q', 'origin', 'HEAD:refs/pull/1/head')
    expect(await read(source, head)).toBe('3')
    repo.git('branch', '-D', 'other')
    publish()
    await source.refresh()
    await expect(source.snapshot('other')).rejects.toThrow(/unable to resolve/)
  })

  test('is spoken to as people say: with which key, and whether the host’s is checked', async () => {
    repo.commit({ 'a.yaml': '1' })
    publish()
    const said = join(mirrors, 'said')
    writeFileSync(join(mirrors, 'ssh'), `#!/bin/sh\necho "$@" >>${said}\n${runLast}\n`, { mode: 0o755 })
    const environment = { PATH: `${mirrors}:${process.env['PATH']}`, HOME: mirrors }
    const wordsFor = async (access: RemoteAccess, more = {}): Promise<string> => {
      const sources = createSources({
        world,
        directory: mirrors,
        environment: { ...environment, ...more },
        access: () => access,
        knownHosts: () => 'a',
      })
      const source = await refreshed(sources.repository(`git@git.example:${join(root, 'shop.git')}`))
      expect(await read(source)).toBe('1')
      const words = await readFile(said, 'utf8')
      writeFileSync(said, '')
      return words
    }
    const strict = await wordsFor({ credentials: { sshPrivateKey: 'key' } })
    expect(strict).toMatch(/StrictHostKeyChecking=yes/)
    expect(strict).toMatch(/-i \S+\/key -o IdentitiesOnly=yes/)
    expect(strict).toMatch(/UserKnownHostsFile=~\/\.ssh\/known_hosts \S+\/known_hosts/)
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----'
    const variables = { HOMEOSTAT_REPO_URL: 'git@git.example:/', HOMEOSTAT_REPO_SSH_KEY: key }
    expect(await wordsFor({}, variables)).toMatch(/-i \S+\/key -o IdentitiesOnly=yes/)
    expect(await wordsFor({})).not.toMatch(/-i /)
    const open = await wordsFor({ tls: { insecure: true } })
    expect(open).toMatch(/StrictHostKeyChecking=no .*UserKnownHostsFile=\/dev\/null/)
  })

  test.each([
    ['echo "Host key verification failed." >&2; exit 255', /the key of the host is not known: add it to/],
    [
      'echo "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!" >&2; echo "Host key verification failed." >&2; exit 255',
      /the host shows another key than the one that is known/,
    ],
    ['echo "git@git.example: Permission denied (publickey)." >&2; exit 255', /permission denied: no key/],
    ['echo "ssh: connect to host git.example port 22: Connection refused" >&2; exit 255', /Connection refused/],
  ])('%s is told', async (script, message) => {
    const source = open(script)
    expect(await source.refresh()).toBe(true)
    expect(source.state.trouble?.message).toMatch(message)
  })
})
