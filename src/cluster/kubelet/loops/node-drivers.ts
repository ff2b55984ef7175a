// Registers the drivers of a node.
// Reads: CSIDrivers.  Writes: CSINode.

import { isAlreadyExists } from '#api'
import type { Client } from '#client'
import { CSIDriver, CSINode, type Node } from '#kinds'
import type { Kit } from '#reconcile'
import type { Fleet } from '../fleet/fleet.ts'
import { csiNodeOf, driversOf } from '../node/csi-node.ts'

interface Keeping {
  readonly kit: Kit
  readonly fleet: Fleet
  /** Speaks as the node. */
  readonly client: Client
}

/** Stands for a CSINode that is not there. */
const missing = [undefined]

export async function keepDrivers(node: Node, { kit, fleet, client }: Keeping): Promise<void> {
  const { name = '', labels } = node.metadata
  const before = kit.cache.get(CSINode, name)
  const own = fleet.profiles.of(name, labels).csiDrivers
  const known = kit.cache.list(CSIDriver)
  // Mostly there are none.
  if (own.length + known.length + (before?.spec.drivers ?? missing).length === 0) return
  const drivers = driversOf(name, own, known)
  const wanted = csiNodeOf(node, before, drivers)
  if (wanted === before) return
  if (before !== undefined) {
    await client.update(CSINode, wanted)
    return
  }
  try {
    await client.create(CSINode, wanted)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
