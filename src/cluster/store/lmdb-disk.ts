// The database on disk: one LMDB environment with the entries and a ceiling of revisions. Loads the native module only
// here and only when asked, so that a platform without a build of it can still run without a file.

import { mkdirSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import type { Database, RootDatabase } from 'lmdb'
import { databaseFault } from './lmdb-file.ts'

export interface DiskEntry {
  readonly bucket: string
  readonly key: string
  readonly revision: number
  readonly encoded: unknown
}

/** What becomes of one key: its latest version, or undefined when it was removed. */
export interface DiskWrite {
  readonly bucket: string
  readonly key: string
  readonly version: Pick<DiskEntry, 'revision' | 'encoded'> | undefined
}

export interface Disk {
  /** No revision above this one was ever handed out. */
  readonly ceiling: number
  entries(): Iterable<DiskEntry>
  /** Writes all of the group or nothing; resolves when it is on disk. */
  write(group: readonly DiskWrite[]): Promise<void>
  /** Is on disk when this returns. */
  setCeiling(ceiling: number): void
  close(): Promise<void>
}

/** The store cannot be opened: its message is one line for the person who started it. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
}

type StoredValue = readonly [revision: number, encoded: unknown]
type EntryKey = [bucket: string, key: string]

interface Databases {
  readonly root: RootDatabase
  readonly entries: Database<StoredValue, EntryKey>
  readonly meta: Database<number, string>
}

/** Raised whenever older code could not read the file. */
const formatVersion = 1

export async function openDisk(folder: string): Promise<Disk> {
  const { root, entries, meta } = await openDatabases(folder)
  const format = meta.get('format') ?? formatVersion
  if (format !== formatVersion) {
    await root.close()
    throw new StoreOpenError(
      `${folder} was written by another version (format ${format}, this one reads ${formatVersion})`,
    )
  }
  const ceiling = meta.get('ceiling') ?? 0
  meta.putSync('format', formatVersion)
  return {
    ceiling,
    *entries() {
      for (const { key, value } of entries.getRange({})) {
        yield { bucket: key[0], key: key[1], revision: value[0], encoded: value[1] }
      }
    },
    async write(group) {
      const done = await entries
        .batch(() => {
          for (const { bucket, key, version } of group) {
            const step =
              version === undefined
                ? entries.remove([bucket, key])
                : entries.put([bucket, key], [version.revision, version.encoded])
            // They fail with the group, which is waited for.
            step.catch(() => undefined)
          }
        })
        .catch(async (error: unknown) => {
          throw await commitFault(error)
        })
      if (!done) throw new Error('the database refused a group of writes')
    },
    setCeiling(value) {
      meta.putSync('ceiling', value)
    },
    close: () => root.close(),
  }
}

/** Why a commit failed; it stands in a promise, rejected by then, that must not be left alone. */
async function commitFault(error: unknown): Promise<unknown> {
  const { commitError } = error as { readonly commitError?: Promise<never> }
  if (commitError === undefined) return error
  const told = commitError.then(undefined, (cause: Error) => cause)
  const untold = Promise.resolve().then(() => undefined)
  const cause = await Promise.race([told, untold.then(() => undefined)])
  const [reason] = cause?.message.split(': Attempting to', 1) ?? []
  return reason === undefined ? error : new Error(reason, { cause })
}

async function openDatabases(folder: string): Promise<Databases> {
  const { open } = await loadLmdb()
  const fault = endianness() === 'LE' ? databaseFault(join(folder, 'data.mdb')) : undefined
  if (fault !== undefined)
    throw new StoreOpenError(
      `the store in ${folder} is damaged (${fault}): put the folder aside to begin anew, or bring it back from a copy`,
    )
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Commits are synced within the transaction: when a batch resolves, it is on disk.
    // Groups are made here: a batch of its own around each would be one more promise, which nobody waits for when it fails.
    const options = { overlappingSync: false, eventTurnBatching: false } as const
    const root = open({ path: folder, maxDbs: 4, noSubdir: false, ...options })
    return {
      root,
      entries: root.openDB<StoredValue, EntryKey>('entries', { encoding: 'json' }),
      meta: root.openDB<number, string>('meta', { encoding: 'json' }),
    }
  } catch (error) {
    throw new StoreOpenError(`cannot open the store in ${folder}: ${messageOf(error)}`, { cause: error })
  }
}

async function loadLmdb(): Promise<typeof import('lmdb')> {
  try {
    return await import('lmdb')
  } catch (error) {
    const platform = `${process.platform}-${process.arch}`
    const text = `the store on disk needs the native module lmdb, which does not load on ${platform}; use --ephemeral to keep the cluster in memory only`
    throw new StoreOpenError(text, { cause: error })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
