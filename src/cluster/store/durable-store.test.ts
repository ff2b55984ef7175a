// The store with a file: what is there after closing, after losing the process, and when the disk fails.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Codec, type DurableStore, openStore, RevisionGoneError } from './index.ts'
import { Journal } from './journal.ts'

const codec: Codec = {
  encode: ({ value, attachment }) => ({ value, attachment }),
  decode: (_bucket, _key, _revision, encoded) => encoded as ReturnType<Codec['decode']>,
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-store-'))
})
afterEach(() => rm(folder, { recursive: true }))

const open = (path = folder): Promise<DurableStore> => openStore({ folder: path, codec })

function put(store: DurableStore, key: string, attachment: unknown = null): number {
  const expected = store.get('things', key)?.revision ?? 0
  return store.put('things', key, expected, (revision) => ({
    value: { apiVersion: 'v1', kind: 'Thing', metadata: { name: key, resourceVersion: String(revision) } },
    attachment,
  })).revision
}

const remove = (store: DurableStore, key: string): void => {
  const entry = store.get('things', key)
  if (entry !== undefined) store.delete('things', key, entry.revision, () => entry.value)
}

const keys = (store: DurableStore): readonly string[] => store.list('things').entries.map(({ key }) => key)

describe('the store with a file', () => {
  it('is refused when its file is damaged, before anything is read of it', async () => {
    const store = await open()
    for (let count = 0; count < 200; count++) put(store, `key-${count}`, 'x'.repeat(1000))
    await store.close()
    const file = join(folder, 'data.mdb')
    const whole = await readFile(file)
    const damages: readonly (readonly [Buffer, RegExp])[] = [
      [Buffer.from('garbage'.repeat(2000)), /is damaged \(it is no database\)/],
      [Buffer.alloc(whole.length), /it is no database/],
      [whole.subarray(0, 100), /it is no database/],
      [whole.subarray(0, 20_000), /its end is missing/],
    ]
    for (const [bytes, message] of damages) {
      await writeFile(file, bytes)
      await expect(open(), String(message)).rejects.toThrow(message)
    }
    await writeFile(file, whole)
    const again = await open()
    expect(keys(again)).toHaveLength(200)
    await again.close()
  })

  it('comes back as it was closed, and numbering goes on without a gap', async () => {
    const store = await open()
    put(store, 'a', { by: 'ann' })
    put(store, 'b')
    put(store, 'b')
    remove(store, 'a')
    put(store, 'c', { by: 'cid' })
    await store.close()
    const again = await open()
    expect([keys(again), again.revision, again.get('things', 'b')?.revision]).toEqual([['b', 'c'], 5, 3])
    expect(again.get('things', 'c')?.attachment).toEqual({ by: 'cid' })
    expect(put(again, 'd')).toBe(6)
    expect(again.watch('things', { after: 5 }).take()).toHaveLength(1)
    expect(() => again.watch('things', { after: 4 })).toThrow(RevisionGoneError)
    await again.close()
  })

  it('says when a write is on disk, and whatever is on disk then survives', async () => {
    const store = await open()
    for (let i = 0; i < 2000; i += 1) put(store, `k${i}`)
    const revision = store.revision
    expect(store.durableRevision).toBeLessThan(revision)
    await store.durable(revision)
    expect(store.durableRevision).toBe(revision)
    await store.durable(1)
    // A copy of the files now is what a crash at this moment would leave behind.
    const crashed = `${folder}-crashed`
    await cp(folder, crashed, { recursive: true })
    put(store, 'later')
    await store.close()
    const found = await open(crashed)
    expect(keys(found)).toHaveLength(2000)
    expect(found.revision).toBeGreaterThan(revision)
    expect(() => found.watch('things', { after: revision })).toThrow(RevisionGoneError)
    await found.close()
    await rm(crashed, { recursive: true })
  })

  it('says in one line why it cannot be opened', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(open(join(file, 'below'))).rejects.toThrow(/^cannot open the store in .*ENOTDIR.*/)
  })

  it('takes no more writes when the disk has failed', async () => {
    const failures: string[] = []
    const disk = {
      ceiling: 0,
      entries: () => [],
      write: () => Promise.reject(new Error('no space left')),
      setCeiling: () => {},
      close: () => Promise.resolve(),
    }
    const journal = new Journal({ disk, codec, revision: 0, onFailure: ({ message }) => failures.push(message) })
    journal.reserve(1)
    journal.add({ revision: 1, current: undefined, previous: undefined })
    await expect(journal.durable(1)).rejects.toThrow('cannot write to its disk: no space left')
    expect(() => journal.reserve(2)).toThrow('no space left')
    await expect(journal.durable(2)).rejects.toThrow('no space left')
    expect(failures).toHaveLength(1)
  })
})
