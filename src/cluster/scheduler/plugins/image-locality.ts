// Prefers nodes that have the pod's images already; an image that few nodes have counts for less, so that one node is
// not given everything.

import type { ContainerImage } from '#kinds'
import { fullImageName } from '../image-name.ts'
import { maxScore, type ScorePlugin, type Scores } from '../plugin.ts'
import type { NodeState } from '../view.ts'

const megabyte = 1024 * 1024
const leastBytes = 23 * megabyte
const mostBytesPerContainer = 1000 * megabyte
/** Bits of a mask. */
const mostInMask = 31

const namesOf = new WeakMap<readonly ContainerImage[], ReadonlySet<string>>()

function hasImage({ node }: NodeState, name: string): boolean {
  const images = node?.status?.images
  if (images === undefined) return false
  const known = namesOf.get(images) ?? new Set(images.flatMap(({ names = [] }) => names))
  namesOf.set(images, known)
  return known.has(name)
}

export const imageLocality: ScorePlugin = {
  name: 'ImageLocality',
  prepareScore({ spec }, cluster) {
    const containers = [...(spec.initContainers ?? []), ...spec.containers]
    const names = containers.map(({ image }) => fullImageName(image ?? ''))
    const images = names.flatMap((name, bit) => {
      const spread = cluster.image(name)
      const bytes = spread === undefined ? 0 : spread.sizeBytes * (spread.nodes / cluster.nodes.length)
      return spread === undefined ? [] : [{ name, bit, bytes }]
    })
    if (images.length === 0) return undefined
    const mostBytes = mostBytesPerContainer * containers.length
    const scoreOf = (has: (i: number) => boolean): number => {
      let sum = 0
      for (let i = 0; i < images.length; i += 1) if (has(i)) sum += Math.floor(images[i]?.bytes ?? 0)
      const bounded = Math.min(Math.max(sum, leastBytes), mostBytes)
      return Math.floor((maxScore * (bounded - leastBytes)) / (mostBytes - leastBytes))
    }
    if (containers.length > mostInMask)
      return { score: (node) => scoreOf((i) => hasImage(node, images[i]?.name ?? '')) }
    // How many nodes have an image changes all the time, which images a node has does not.
    return {
      ofNode: true,
      score: (node) => maskOf(names, node),
      normalize: (masks) => scoreMasks(masks, (mask) => scoreOf((i) => ((mask >> (images[i]?.bit ?? 0)) & 1) === 1)),
    }
  },
}

/** Which of the images a node has, one bit for each. */
function maskOf(names: readonly string[], node: NodeState): number {
  let mask = 0
  for (let i = 0; i < names.length; i += 1) if (hasImage(node, names[i] ?? '')) mask |= 1 << i
  return mask
}

/** Most nodes have the same mask as the one before them, which is not worked out again. */
function scoreMasks(masks: Scores, score: (mask: number) => number): void {
  let [known, found] = [-1, 0]
  for (let i = 0; i < masks.length; i += 1) {
    const mask = masks[i] ?? 0
    if (mask !== known) [known, found] = [mask, score(mask)]
    masks[i] = found
  }
}
