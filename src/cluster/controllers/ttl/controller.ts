// Tells each kubelet, by an annotation of its node, how long it may keep Secrets and ConfigMaps.
// Reads: Nodes.  Writes: an annotation of Nodes.

import { isNotFound } from '#api'
import { Node } from '#kinds'
import { type Cache, done, type Kit, type Outcome, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { decideTtl, ttlAnnotation } from './decide.ts'

const ttlOf = ({ metadata }: Node): string | undefined => metadata.annotations?.[ttlAnnotation]

const wantedTtl = (node: Node, cache: Cache): string => decideTtl(cache.count(Node), ttlOf(node))

/** A cluster that has grown or shrunk is noticed at the next heartbeat of each node. */
export const nodeTtlController = defineController({
  name: 'ttl',
  reconciles: Node,
  watches: [
    watching(Node, (node, old, cache) =>
      old === undefined || ttlOf(node) !== wantedTtl(node, cache) ? [node.metadata.name ?? ''] : [],
    ),
  ],
  reconcile,
})

async function reconcile(name: string, kit: Kit): Promise<Outcome> {
  const node = kit.cache.get(Node, name)
  if (node === undefined) return done()
  const wanted = wantedTtl(node, kit.cache)
  if (ttlOf(node) === wanted) return done()
  const patch = { metadata: { annotations: { [ttlAnnotation]: wanted } } }
  try {
    await kit.client.patch(Node, { name }, patch, { type: 'application/strategic-merge-patch+json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}
