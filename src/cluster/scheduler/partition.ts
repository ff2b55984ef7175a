// How nodes fall into domains: by a label, and perhaps only some of the nodes. A division is worked out once for all pods
// that ask for the same one, and again when nodes come, go or are labelled anew.

import type { NodeState } from './node-state.ts'

/** Which domain a node is in; undefined: in none. Partitions with the same `id` say the same of every node. */
export interface Partition {
  readonly id: string
  readonly domainOf: (node: NodeState) => string | undefined
}

/** A partition of the nodes that are there now. */
export interface Division {
  readonly domains: ReadonlySet<string>
  domainOf(nodeName: string): string | undefined
}

/** By one label, all nodes. */
export function byLabel(key: string): Partition {
  const found = labelPartitions.get(key)
  if (found !== undefined) return found
  const partition: Partition = { id: key, domainOf: ({ labels }) => labels[key] }
  if (labelPartitions.size >= limit) labelPartitions.clear()
  labelPartitions.set(key, partition)
  return partition
}

const limit = 500
const labelPartitions = new Map<string, Partition>()

export class Divisions {
  readonly #nodes: () => readonly NodeState[]
  readonly #known = new Map<string, Division>()

  constructor(nodes: () => readonly NodeState[]) {
    this.#nodes = nodes
  }

  of({ id, domainOf }: Partition): Division {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const byNode = new Map<string, string>()
    const domains = new Set<string>()
    for (const node of this.#nodes()) {
      const domain = domainOf(node)
      if (domain === undefined) continue
      byNode.set(node.name, domain)
      domains.add(domain)
    }
    const division: Division = { domains, domainOf: (nodeName) => byNode.get(nodeName) }
    if (this.#known.size >= limit) this.#known.clear()
    this.#known.set(id, division)
    return division
  }

  /** Nodes have come, gone or changed their labels or taints. */
  forget(): void {
    this.#known.clear()
  }
}
