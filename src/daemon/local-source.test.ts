// Which checkouts the reconciler may use.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localSourceOf } from './local-source.ts'

describe('the local source', () => {
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
    await mkdir(join(folder, 'objects'))
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main')
    await expect(localSourceOf({ ...options, location: folder })).rejects.toThrow(
      /bare repository.+leave --worktree out/,
    )
    await rm(folder, { recursive: true })
  })
})
