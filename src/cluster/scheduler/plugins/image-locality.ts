// Prefers nodes that have the pod's images already; an image that few nodes have counts for less, so that one node is
// not given everything.

import type { ContainerImage } from '#kinds'
import { fullImageName } from '../image-name.ts'
import { maxScore, type ScorePlugin } from '../plugin.ts'
import type { NodeState } from '../view.ts'

const megabyte = 1024 * 1024
const leastBytes = 23 * megabyte
const mostBytesPerContainer = 1000 * megabyte

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
    const images = containers.flatMap(({ image }) => {
      const name = fullImageName(image ?? '')
      const spread = cluster.image(name)
      return spread === undefined ? [] : [{ name, bytes: (spread.sizeBytes * spread.nodes) / cluster.nodes.length }]
    })
    if (images.length === 0) return undefined
    const mostBytes = mostBytesPerContainer * containers.length
    return {
      score(node) {
        let sum = 0
        for (const { name, bytes } of images) if (hasImage(node, name)) sum += Math.floor(bytes)
        const bounded = Math.min(Math.max(sum, leastBytes), mostBytes)
        return Math.floor((maxScore * (bounded - leastBytes)) / (mostBytes - leastBytes))
      },
    }
  },
}
