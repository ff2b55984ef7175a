// A bare repository with much history, for measurements: commits that each change a manifest, and binary files in between that
// nobody can pack. Made by `git fast-import`, which keeps nothing of it in memory.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'

export interface HistorySize {
  readonly commits: number
  /** Of what cannot be packed, spread over the commits. */
  readonly binaryBytes: number
}

const files = 2000
const manifestBytes = 3000
const binaryFileBytes = 1024 * 1024

export async function makeBigHistory(path: string, { commits, binaryBytes }: HistorySize): Promise<void> {
  mkdirSync(path, { recursive: true })
  await run(path, ['init', '--quiet', '--bare', '-b', 'main', '.'])
  const importing = spawn('git', ['fast-import', '--quiet'], { cwd: path, stdio: ['pipe', 'inherit', 'inherit'] })
  const ended = once(importing, 'close')
  const binaries = Math.floor(binaryBytes / binaryFileBytes)
  for (let commit = 0; commit < commits; commit += 1) {
    const added = binariesBefore(commit + 1) - binariesBefore(commit)
    if (!importing.stdin.write(commitText(commit, added))) await once(importing.stdin, 'drain')
  }
  importing.stdin.end('done\n')
  const [code] = await ended
  if (code !== 0) throw new Error(`git fast-import failed with exit status ${code}`)

  function binariesBefore(commit: number): number {
    return Math.floor((commit * binaries) / commits)
  }
}

function commitText(commit: number, binaries: number): Buffer {
  const message = `Change ${commit}`
  const head = `commit refs/heads/main\ncommitter Bench <bench@example.com> ${1_600_000_000 + commit * 60} +0000\ndata ${message.length}\n${message}\n`
  const parts: Buffer[] = [Buffer.from(head)]
  const add = (name: string, content: Buffer): void => {
    parts.push(Buffer.from(`M 100644 inline ${name}\ndata ${content.length}\n`), content, Buffer.from('\n'))
  }
  const file = commit % files
  add(`apps/${file % 50}/app-${file}.yaml`, manifest(file, commit))
  for (let i = 0; i < binaries; i += 1)
    add(`assets/${commit % 64}/image-${i}.bin`, noise(`${commit}/${i}`, binaryFileBytes))
  return Buffer.concat(parts)
}

function manifest(file: number, version: number): Buffer {
  const data = noise(`${file}`, manifestBytes / 2)
    .toString('hex')
    .replace(/.{60}/g, '$&\n    ')
  return Buffer.from(
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app-${file}\ndata:\n  version: "${version}"\n  text: |\n    ${data}\n`,
  )
}

/** The same bytes for the same name, and as good as random. */
function noise(name: string, length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(name).digest()
}

async function run(directory: string, words: readonly string[]): Promise<void> {
  const [code] = await once(spawn('git', [...words], { cwd: directory, stdio: 'inherit' }), 'close')
  if (code !== 0) throw new Error(`git ${words.join(' ')} failed with exit status ${code}`)
}
