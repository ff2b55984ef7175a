// The order in which nodes are looked at: one of each zone in turn, so that the first hundred of thousands are spread over
// all zones. Made anew when nodes come, go or move to another zone; asked for much more often.

import type { Node } from '#kinds'
import type { NodeState } from './node-state.ts'

const newZone = 'topology.kubernetes.io/zone'
const newRegion = 'topology.kubernetes.io/region'
const oldZone = 'failure-domain.beta.kubernetes.io/zone'
const oldRegion = 'failure-domain.beta.kubernetes.io/region'

export function zoneOf({ metadata: { labels } }: Node): string {
  if (labels === undefined) return ''
  const zone = labels[oldZone] ?? labels[newZone] ?? ''
  const region = labels[oldRegion] ?? labels[newRegion] ?? ''
  return zone === '' && region === '' ? '' : `${region}:\0:${zone}`
}

export class NodeTree {
  readonly #zones = new Map<string, Set<NodeState>>()
  readonly #zoneOf = new Map<NodeState, string>()
  #order: readonly NodeState[] | undefined

  get nodes(): readonly NodeState[] {
    this.#order ??= this.#inTurn()
    return this.#order
  }

  put(state: NodeState, node: Node): void {
    const zone = zoneOf(node)
    const before = this.#zoneOf.get(state)
    if (before === zone) return
    if (before !== undefined) this.remove(state)
    const others = this.#zones.get(zone)
    if (others === undefined) this.#zones.set(zone, new Set([state]))
    else others.add(state)
    this.#zoneOf.set(state, zone)
    this.#order = undefined
  }

  remove(state: NodeState): void {
    const zone = this.#zoneOf.get(state)
    if (zone === undefined) return
    this.#zoneOf.delete(state)
    const others = this.#zones.get(zone)
    if (others?.delete(state) === true && others.size === 0) this.#zones.delete(zone)
    this.#order = undefined
  }

  #inTurn(): readonly NodeState[] {
    const order: NodeState[] = []
    let zones = [...this.#zones.values()].map((states) => states.values())
    while (zones.length > 0) {
      const left: typeof zones = []
      for (const zone of zones) {
        const next = zone.next()
        if (next.done === true) continue
        order.push(next.value)
        left.push(zone)
      }
      zones = left
    }
    return order
  }
}
