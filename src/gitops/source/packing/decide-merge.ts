// Which packs of a folder are made into one. Pure.

export interface PackOnDisk {
  readonly name: string
  readonly bytes: number
  readonly objects: number
  readonly writtenAtMs: number
}

/** As many as git lets lie (`gc.autoPackLimit`). */
export const maxPacks = 50
/** More objects, or more bytes, are not put together: memory and time are bounded, and offsets have 31 bits. */
const maxMergedObjects = 2_000_000
const maxMergedBytes = 2 ** 31 - 2 ** 20

/** The oldest first; none where they may lie as they are. A pack that is larger than all smaller ones twice is left alone: what was
 * merged is written again only when as much has come. */
export function decideMerge(packs: readonly PackOnDisk[]): readonly PackOnDisk[] {
  if (packs.length <= maxPacks) return []
  const bySize = packs.toSorted((a, b) => a.bytes - b.bytes)
  let [count, below] = [0, 0]
  let [bytes, objects] = [0, 0]
  for (const [at, pack] of bySize.entries()) {
    bytes += pack.bytes
    objects += pack.objects
    if (bytes > maxMergedBytes || objects > maxMergedObjects) break
    if (pack.bytes < 2 * below) count = at + 1
    below = bytes
  }
  if (count < 2) return []
  return bySize.slice(0, count).toSorted((a, b) => a.writtenAtMs - b.writtenAtMs || (a.name < b.name ? -1 : 1))
}
