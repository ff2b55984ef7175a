// What a tool wrote into a folder, as one text: file after file, in the order of their paths.

import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolFault } from './tool-fault.ts'

const megabyte = 1024 * 1024

/** Empty when there is no such folder. Throws ToolFault where it is more than `limitBytes`. */
export async function readWritten(folder: string, limitBytes: number): Promise<string> {
  const texts: string[] = []
  let bytes = 0
  for (const path of await pathsBelow(folder)) {
    const { size } = await lstat(path)
    bytes += size
    if (bytes > limitBytes)
      throw new ToolFault('stopped', `the output is larger than ${Math.floor(limitBytes / megabyte)} MiB`)
    texts.push(await readFile(path, 'utf8'))
  }
  return texts.join('\n')
}

async function pathsBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
