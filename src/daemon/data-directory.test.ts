// One daemon to a data directory, and what is said when there is another or the directory is of no use.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataDirectory } from './data-directory.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-data-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('data directory', () => {
  it('is made for its owner alone and locked until it is released', async () => {
    const path = join(folder, 'new/one')
    const directory = await openDataDirectory(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect(JSON.parse(await readFile(join(path, 'daemon.lock'), 'utf8'))).toMatchObject({ pid: process.pid })
    await directory.release()
    await (await openDataDirectory(path)).release()
  })

  it('is refused while another process has it, and taken over when that one is gone', async () => {
    const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' })
    await writeFile(join(folder, 'daemon.lock'), JSON.stringify({ pid: other.pid }))
    await expect(openDataDirectory(folder)).rejects.toThrow(
      `another homeostat (process ${other.pid}) uses the data directory ${folder}; stop it`,
    )
    // The same number, but not the process that wrote the lock.
    await writeFile(join(folder, 'daemon.lock'), JSON.stringify({ pid: other.pid, startedAt: '1' }))
    await (await openDataDirectory(folder)).release()
    await writeFile(join(folder, 'daemon.lock'), JSON.stringify({ pid: other.pid }))
    other.kill('SIGKILL')
    await once(other, 'exit')
    await (await openDataDirectory(folder)).release()
  })

  it('that cannot be used is named in one line', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(openDataDirectory(join(folder, 'file'))).rejects.toThrow(
      /cannot use the data directory .*: it is a file/,
    )
    await expect(openDataDirectory(join(folder, 'file/below'))).rejects.toThrow('part of the path is a file')
  })
})
