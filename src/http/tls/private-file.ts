// Writes a file that only its owner may read, all of it or nothing: under another name first, then renamed.

import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'

export async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  await rename(draft, path)
}
