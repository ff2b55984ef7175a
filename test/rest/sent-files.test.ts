// Files that a client sends are rendered as if they were the checkout of an application's source.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRepository, type TestRepository } from '../gitops/git-repository.ts'
import { plugin, sh } from '../support/plugins.ts'
import { openRest, type RestServer } from './rest-server.ts'

let server: RestServer
let repository: TestRepository
let folder: string

const map = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}\n`
const secret = '{apiVersion: v1, kind: Secret, metadata: {name: hidden}, stringData: {password: hidden-value}}\n'
const path = '/api/v1/applications/manifestsWithFiles'

beforeAll(async () => {
  repository = createRepository()
  repository.commit({ 'k8s/map.yaml': map('committed'), 'tool/x': '' })
  server = await openRest({
    repository: repository.path,
    plugins: [plugin('tool', { generate: sh('cat map.yaml') })],
  })
  for (const [name, source] of [
    ['shop', { path: 'k8s' }],
    ['tool', { path: 'tool', plugin: { name: 'tool' } }],
  ] as const) {
    const destination = { server: 'https://kubernetes.default.svc', namespace: 'shop' }
    const spec = { project: 'default', source: { repoURL: repository.path, ...source }, destination }
    await server.ask('POST /api/v1/applications', { metadata: { name }, spec })
  }
  await vi.waitFor(async () => expect((await server.ask('GET /api/v1/applications/shop/manifests')).status).toBe(200), {
    timeout: 20_000,
  })
})
afterAll(async () => {
  await server.close()
  rmSync(repository.path, { recursive: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeostat-sent-'))
  return () => rmSync(folder, { recursive: true, force: true })
})

function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return execFileSync('tar', ['-cz', '.'], { cwd: folder })
}

interface Sending {
  readonly name?: string
  readonly checksum?: string
  readonly more?: object
  readonly token?: string | null
}

/** In pieces of a few hundred bytes, as clients send them. */
async function send(archive: Buffer, { name = 'shop', checksum, more = {}, token }: Sending = {}) {
  const digest = checksum ?? createHash('sha256').update(archive).digest('hex')
  const lines = [JSON.stringify({ query: { name, checksum: digest, ...more } })]
  for (let at = 0; at < archive.length; at += 700)
    lines.push(JSON.stringify({ chunk: { chunk: archive.subarray(at, at + 700).toString('base64') } }))
  return post(`${lines.join('\n')}\n`, token)
}

async function post(body: string, token: string | null | undefined = 'dashboard-test-token') {
  const response = await server.fetch(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('files that are sent', () => {
  it('are rendered in the place of those in git, with secrets masked', async () => {
    const { body } = await send(
      archiveOf({ 'k8s/a.yaml': map('sent'), 'k8s/s.yaml': secret, 'other/b.yaml': map('b') }),
    )
    expect(body).toMatchObject({
      namespace: 'shop',
      server: 'https://kubernetes.default.svc',
      sourceType: 'Directory',
      revision: '',
      commands: [],
    })
    const manifests = (body['manifests'] as readonly string[]).map((text) => JSON.parse(text))
    expect(manifests).toMatchObject([
      {
        kind: 'ConfigMap',
        metadata: {
          name: 'sent',
          namespace: 'shop',
          annotations: { 'argocd.argoproj.io/tracking-id': expect.any(String) },
        },
      },
      { kind: 'Secret', metadata: { name: 'hidden' } },
    ])
    expect(JSON.stringify(body)).not.toContain('hidden-value')
  })

  it('that are faulty are told with file and line', async () => {
    const { status, body } = await send(
      archiveOf({ 'k8s/a.yaml': `${map('a')}---\napiVersion: v1\nkind: [\nmetadata:\n` }),
    )
    expect([status, body['code'], body['message']]).toEqual([400, 9, expect.stringMatching(/^k8s\/a\.yaml:\d+:\d+: /)])
  })

  it('without the application’s path are no checkout of it', async () => {
    expect((await send(archiveOf({ 'other/a.yaml': map('a') }))).body['message']).toBe('k8s: app path does not exist')
  })

  it('may not lead out', async () => {
    archiveOf({ 'k8s/a.yaml': map('a') })
    symlinkSync('/etc/passwd', join(folder, 'k8s/out.yaml'))
    expect((await send(archiveOf({}))).body['message']).toBe('k8s/out.yaml: the symbolic link leaves the repository')
  })

  it('are given to a plug-in where the sender may override what is synced', async () => {
    const archive = archiveOf({ 'tool/map.yaml': map('printed') })
    const { body } = await send(archive, { name: 'tool' })
    expect(body).toMatchObject({ sourceType: 'Plugin', manifests: [expect.stringContaining('printed')] })
    await server.configure('argocd-cm', { 'accounts.ci': 'apiKey' })
    await server.configure('argocd-rbac-cm', { 'policy.csv': 'p, ci, applications, get, */*, allow' })
    const { token } = (await server.ask<{ token: string }>('POST /api/v1/account/ci/token', {})).body
    expect((await send(archive, { name: 'tool', token })).body['message']).toMatch(
      /plug-ins are only run on files of some/,
    )
    expect((await send(archiveOf({ 'k8s/a.yaml': map('a') }), { token })).status).toBe(200)
  })
})

describe('what is no such message is refused', () => {
  const noise = (bytes: number): Buffer => createHash('shake256', { outputLength: bytes }).update('x').digest()

  it.each([
    ['nothing', () => '', 400, 'error getting stream query: query is nil'],
    ['no JSON', () => 'hello\n', 400, /^a line of the body is no JSON/],
    ['another first message', () => '{"chunk": {"chunk": ""}}\n', 400, /^invalid body: query/],
    ['no checksum', () => '{"query": {"name": "shop", "checksum": "x"}}\n', 400, /checksum: a SHA-256/],
    [
      'an unknown application',
      () => `{"query": {"name": "none", "checksum": "${'0'.repeat(64)}"}}`,
      404,
      /"none" not found/,
    ],
    ['one line without end', () => 'x'.repeat(5 * 1024 * 1024), 400, 'a message is larger than 4 MiB'],
  ])('%s', async (_case, body, status, message) => {
    const answer = await post(body())
    expect([answer.status, answer.body['message']]).toEqual([
      status,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ])
  })

  it.each([
    ['another checksum', () => Buffer.from('x'), { checksum: '0'.repeat(64) }, /^file checksum validation error/],
    ['no archive', () => Buffer.from('hello'), {}, /^the archive is no tar\.gz/],
    ['a compressed text', () => gzipSync('hello '.repeat(200)), {}, /header of the archive/],
    ['half an archive', () => gzipSync(noise(2000)).subarray(0, 900), {}, /^the archive is no tar\.gz/],
    ['a bomb', () => gzipSync(Buffer.alloc(130 * 1024 * 1024)), {}, 'the archive unpacks to more than 128 MiB'],
    ['the wrong project', () => Buffer.from('x'), { more: { project: 'other' } }, /not found in project other/],
  ])('%s', async (_case, archive, sending, message) => {
    const { body } = await send(archive(), sending)
    expect(body['message']).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  it('an archive that is too large', async () => {
    const { body } = await send(noise(33 * 1024 * 1024))
    expect(body['message']).toBe('the archive is larger than 32 MiB')
  })

  it('somebody who does not say who he is', async () => {
    expect((await send(archiveOf({ 'k8s/a.yaml': map('a') }), { token: null })).status).toBe(401)
  })
})
