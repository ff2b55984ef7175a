// Frees the images of a node that no pod uses: all that there are when pods would have to go otherwise, or as many as it
// takes to come below 80 % when the file system is 85 % full (images/image_gc_manager.go).

import { containersOf } from '../containers/containers.ts'
import { fullName } from '../node/images.ts'
import type { NodeRuntime } from '../node/node-runtime.ts'
import type { Observation } from '../node/signals.ts'

const highPercent = 85
const lowPercent = 80
/** A younger image is not collected. */
const leastAgeMs = 120_000

export const imageSizes = ({ images }: NodeRuntime): readonly number[] =>
  [...images.pulled].map((name) => images.sizeOf(name))

function usedImages({ pods }: NodeRuntime): ReadonlySet<string> {
  const used = new Set<string>()
  for (const { spec } of pods)
    for (const container of containersOf(spec)) used.add(fullName(container.spec.image ?? ''))
  return used
}

/** Removes unused images until so many bytes are free; answers how many are. */
function free(runtime: NodeRuntime, bytes: number, now: number): number {
  const used = usedImages(runtime)
  const { images } = runtime
  let freed = 0
  for (const name of images.removable((one) => used.has(one), now - leastAgeMs)) {
    if (freed >= bytes) break
    const size = images.sizeOf(name)
    images.remove(name)
    freed += size
    runtime.freed.images += 1
    runtime.freed.bytes += size
  }
  return freed
}

export const collectAll = (runtime: NodeRuntime, now: number): number => free(runtime, Number.POSITIVE_INFINITY, now)

/** Why too little could be freed; undefined when all is well. */
export function collectImages(
  runtime: NodeRuntime,
  { capacity, available }: Observation,
  now: number,
): string | undefined {
  if (capacity === 0 || 100 - Math.trunc((available * 100) / capacity) < highPercent) return undefined
  const wanted = Math.trunc((capacity * (100 - lowPercent)) / 100) - available
  const freed = free(runtime, wanted, now)
  return freed < wanted
    ? `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`
    : undefined
}
