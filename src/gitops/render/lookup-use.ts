// Whether a chart may look something up in the cluster: the word stands in one of its files, in packed dependencies or in
// values (which `tpl` may run). Where it stands for something else, the chart is only given a door that it does not use.

import { gunzipSync } from 'node:zlib'
import { RecentMap } from '#gitops/source'
import type { LookupUse } from './looking.ts'
import type { TreeFile } from './tree.ts'

/** By a file's id: its first line with the word; -1 without any. */
const lines = new RecentMap<number>(100_000)
const maxUnpackedBytes = 64 * 1024 * 1024

export interface Said {
  /** Of the source. */
  readonly path: string
  /** By the Application. */
  readonly said: readonly string[]
}

/** The first place, of a template if there is one; undefined: there is none. */
export async function findLookupUse(files: Iterable<TreeFile>, { path, said }: Said): Promise<LookupUse | undefined> {
  let other: LookupUse | undefined
  for (const file of files) {
    const line = await lineIn(file)
    if (line < 0) continue
    const use = { file: path === '' ? file.path : file.path.replace(`${path}/`, ''), line }
    if (/(^|\/)templates\//.test(file.path)) return use
    other ??= use
  }
  return other ?? (said.some(mentions) ? { file: '', line: 0 } : undefined)
}

async function lineIn(file: TreeFile): Promise<number> {
  const known = lines.get(file.id)
  if (known !== undefined) return known
  const bytes = Buffer.from(await file.read())
  const line = /\.(tgz|tar\.gz)$/.test(file.path) ? (isInArchive(bytes) ? 0 : -1) : lineOf(bytes.toString('utf8'))
  lines.set(file.id, line)
  return line
}

/** What cannot be unpacked here may hold anything. */
function isInArchive(bytes: Buffer): boolean {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpackedBytes }).includes('lookup')
  } catch {
    return true
  }
}

const mentions = (text: string): boolean => /\blookup\b/.test(text)

function lineOf(text: string): number {
  if (!mentions(text)) return -1
  return text.split('\n').findIndex(mentions) + 1
}
