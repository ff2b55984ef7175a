// The store with a file: the same map in memory, and behind it a journal that brings every write to disk in order and in
// groups. A write can be read at once; `durable` tells when it would survive a crash. What is on disk is always the
// state after some write (a prefix of history), and numbering goes on above every revision ever handed out.

import type { HistoryLimits } from './history.ts'
import { Journal } from './journal.ts'
import { type Disk, openDisk } from './lmdb-disk.ts'
import { MemoryStore } from './memory-store.ts'
import type { Codec } from './store.ts'

export interface DurableStoreOptions {
  /** Folder of the database; made if it is missing. Only one process at a time may have it open. */
  readonly folder: string
  readonly codec: Codec
  readonly history?: Partial<HistoryLimits>
  /** The disk refused a write: from now on the store takes no more, and `durable` rejects. */
  readonly onFailure?: (error: Error) => void
}

export class DurableStore extends MemoryStore {
  readonly #journal: Journal
  readonly #disk: Disk

  constructor(disk: Disk, journal: Journal, history: Partial<HistoryLimits>) {
    super({
      history,
      revision: disk.ceiling,
      journal: (event) => journal.add(event),
      beforeWrite: (revision) => journal.reserve(revision),
    })
    this.#disk = disk
    this.#journal = journal
  }

  /** Every write up to this revision is on disk. */
  get durableRevision(): number {
    return this.#journal.durableRevision
  }

  override durable(revision: number): Promise<void> {
    return this.#journal.durable(revision)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#journal.finish()
    await this.#disk.close()
  }
}

/** Opens or makes the database and reads it into memory. Throws StoreOpenError. */
export async function openStore(options: DurableStoreOptions): Promise<DurableStore> {
  const { codec, history = {}, onFailure = () => {} } = options
  const disk = await openDisk(options.folder)
  const journal = new Journal({ disk, codec, revision: disk.ceiling, onFailure })
  const store = new DurableStore(disk, journal, history)
  for (const { bucket, key, revision, encoded } of disk.entries()) {
    store.restore({ bucket, key, revision, ...codec.decode(bucket, key, revision, encoded) })
  }
  return store
}
