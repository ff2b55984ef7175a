// Names and shape of the root Application, and which checkouts the reconciler may use.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localSourceOf, nameOf, rootApplication } from './root-application.ts'

describe('root application', () => {
  it.each([
    ['/home/ann/My Shop/', 'my-shop'],
    ['/srv/demo-repo', 'demo-repo'],
    ['https://github.com/acme/Platform.git', 'platform'],
    ['git@example.com:acme/app_one.git', 'app-one'],
    ['/', 'root'],
    [`/x/${'a'.repeat(80)}`, 'a'.repeat(63)],
  ])('%s is named %s', (location, name) => expect(nameOf(location)).toBe(name))

  it('is automated unless told otherwise', () => {
    const options = { location: '/srv/shop', worktree: false, manual: false }
    expect(rootApplication(options).spec).toEqual({
      project: 'default',
      source: { repoURL: '/srv/shop', path: '.', targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    })
    const manual = rootApplication({ ...options, manual: true, path: 'apps', revision: 'v1' }).spec
    expect(manual.syncPolicy).toBeUndefined()
    expect(manual.source).toMatchObject({ path: 'apps', targetRevision: 'v1' })
  })

  it('may use the checkout that was named, if there is one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'homeostat-root-'))
    await writeFile(join(folder, 'file'), '')
    const options = { worktree: true, manual: false }
    expect(await localSourceOf({ ...options, location: folder })).toEqual([{ path: folder, worktree: true }])
    expect(await localSourceOf({ ...options, worktree: false, location: 'https://example.com/a.git' })).toEqual([])
    await expect(localSourceOf({ ...options, location: join(folder, 'none') })).rejects.toThrow(
      'there is no repository at',
    )
    await expect(localSourceOf({ ...options, location: join(folder, 'file') })).rejects.toThrow('is a file')
    await expect(localSourceOf({ ...options, location: 'https://a.b/c' })).rejects.toThrow('--worktree needs one')
    await rm(folder, { recursive: true })
  })
})
