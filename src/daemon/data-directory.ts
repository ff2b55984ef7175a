// The data directory: made on the first start, only for its owner, and used by one daemon at a time. The lock is a file
// that names its process; one that a killed daemon left behind is recognised (no such process, or another one with the
// same number) and taken over.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DaemonError } from './options.ts'

export interface DataDirectory {
  readonly path: string
  release(): Promise<void>
}

interface Owner {
  readonly pid: number
  /** Of the process, in the system's own terms; absent where it cannot be told. */
  readonly startedAt?: string
}

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const lock = join(path, 'daemon.lock')
  try {
    await makeFolder(path)
    await acquire(lock, path)
  } catch (error) {
    if (error instanceof DaemonError) throw error
    const text = `cannot use the data directory ${path}: ${reasonOf(error)}; choose another one with --data-dir`
    throw new DaemonError(text, { cause: error })
  }
  return { path, release: () => rm(lock, { force: true }) }
}

/** Step by step: Node's own recursive mkdir never ends where a parent takes no folders (/proc). */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      if ((await stat(path)).isDirectory()) return
      throw error
    }
    const parent = dirname(path)
    if (code !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent)
    await mkdir(path, { mode: 0o700 })
  }
}

async function acquire(lock: string, path: string): Promise<void> {
  const startedAt = await startOf(process.pid)
  const own: Owner = { pid: process.pid, ...(startedAt === undefined ? {} : { startedAt }) }
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      await writeFile(lock, `${JSON.stringify(own)}\n`, { flag: 'wx', mode: 0o600 })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = await readOwner(lock)
    if (owner?.pid === 0) throw justStarting(path)
    if (owner !== undefined && (await isRunning(owner)))
      throw new DaemonError(
        `another homeostat (process ${owner.pid}) uses the data directory ${path}; stop it, or choose another one with --data-dir`,
      )
    await discard(lock)
  }
  throw justStarting(path)
}

const justStarting = (path: string): DaemonError =>
  new DaemonError(`another homeostat is just starting with the data directory ${path}; try again`)

/** Moves the old lock aside before deleting it: of two that start together only one gets it. */
async function discard(lock: string): Promise<void> {
  const aside = `${lock}.${randomBytes(4).toString('hex')}`
  try {
    await rename(lock, aside)
    await unlink(aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function readOwner(lock: string): Promise<Owner | undefined> {
  try {
    const owner = JSON.parse(await readFile(lock, 'utf8')) as Owner
    return Number.isInteger(owner.pid) ? owner : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return (await isFresh(lock)) ? { pid: 0 } : undefined
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A lock without content may be one that is just being written. */
async function isFresh(lock: string): Promise<boolean> {
  const { mtimeMs } = await stat(lock)
  return Date.now() - mtimeMs < 2_000
}

async function isRunning({ pid, startedAt }: Owner): Promise<boolean> {
  if (pid === process.pid) return startedAt !== undefined && startedAt === (await startOf(pid))
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const current = await startOf(pid)
  if (current === ended) return false
  return current === undefined || startedAt === undefined || current === startedAt
}

/** In place of a start: the process has ended and only waits for its parent to notice. */
const ended = 'ended'

/** When a process began, in clock ticks since the system's start: with its number it names one process. Linux only. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? ended : fields[19]
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOENT: 'the folder cannot be made',
    ENOTDIR: 'part of the path is a file',
    EEXIST: 'it is a file',
    ENOSPC: 'no space left on the disk',
  }
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return reasons[code] ?? (error as Error).message
}
