// The file of the audit log: a line an event, appended, only for its owner. A file that cannot be opened keeps the daemon
// from starting; one that cannot be written to later (a full disk) is told of, and what is lost meanwhile is counted.

import { type FileHandle, open } from 'node:fs/promises'
import { DaemonError } from './options.ts'

export interface AuditFile {
  write(line: string): void
  /** Writes what is left. */
  close(): Promise<void>
}

/** More than this in memory means that the disk does not keep up: events are lost rather than the daemon. */
const waitingMax = 64 * 1024 * 1024

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'part of the path is a file',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the disk',
  EFBIG: 'the file has become too large',
}

const reasonOf = (error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message

/** `tell` says a line to whoever runs the daemon. */
export async function openAuditFile(path: string, tell: (line: string) => void): Promise<AuditFile> {
  let handle: FileHandle
  try {
    handle = await open(path, 'a', 0o600)
  } catch (error) {
    throw new DaemonError(`--audit-log: cannot write ${path}: ${reasonOf(error)}; choose another file`, {
      cause: error,
    })
  }
  return new AppendedFile(path, handle, tell)
}

class AppendedFile implements AuditFile {
  readonly #path: string
  readonly #handle: FileHandle
  readonly #tell: (line: string) => void
  #waiting: string[] = []
  #size = 0
  #lost = 0
  #writing: Promise<void> | undefined

  constructor(path: string, handle: FileHandle, tell: (line: string) => void) {
    this.#path = path
    this.#handle = handle
    this.#tell = tell
  }

  write(line: string): void {
    if (this.#size + line.length > waitingMax) {
      this.#lose(1, 'the disk does not keep up')
      return
    }
    this.#waiting.push(line)
    this.#size += line.length + 1
    this.#writing ??= this.#drain()
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#handle.close()
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting
      this.#waiting = []
      this.#size = 0
      try {
        await this.#handle.appendFile(`${lines.join('\n')}\n`)
        this.#found()
      } catch (error) {
        this.#lose(lines.length, reasonOf(error))
      }
    }
    this.#writing = undefined
  }

  /** Said once until it works again. */
  #lose(count: number, why: string): void {
    if (this.#lost === 0)
      this.#tell(`the audit log ${this.#path} cannot be written: ${why}; events are lost until it can`)
    this.#lost += count
  }

  #found(): void {
    if (this.#lost > 0) this.#tell(`the audit log ${this.#path} is written again; ${this.#lost} events were lost`)
    this.#lost = 0
  }
}
