// Addresses that the world outside of the cluster gives to load balancers, one for each owner: always the same one for the
// same uid unless it is taken. Addresses that were given a moment ago are known here before the cache has them.

import type { World } from '#world'
import { PerWorld } from './per-world.ts'

const firstAddress = 172 * 2 ** 24 + 31 * 2 ** 16
/** Without the first and the last address of 172.31.0.0/16. */
const poolSize = 2 ** 16 - 2

const text = (address: number): string => [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.')

function startOf(uid: string): number {
  let hash = 2166136261
  for (let i = 0; i < uid.length; i += 1) hash = Math.imul(hash ^ uid.charCodeAt(i), 16777619)
  return (hash >>> 0) % poolSize
}

class BalancerAddresses {
  readonly #byWorld = new PerWorld<string>()

  /** An address for the owner; `isTaken` tells what others have. */
  take(world: World, uid: string, wanted: string | undefined, isTaken: (address: string) => boolean): string {
    const given = this.#byWorld.of(world)
    const isFree = (address: string): boolean => (given.get(address) ?? uid) === uid && !isTaken(address)
    let address = wanted !== undefined && isFree(wanted) ? wanted : ''
    for (let i = 0; address === '' && i < poolSize; i += 1) {
      const next = text(firstAddress + 1 + ((startOf(uid) + i) % poolSize))
      if (isFree(next)) address = next
    }
    if (address === '') throw new Error('no address is left for load balancers')
    given.set(address, uid)
    return address
  }

  release(world: World, address: string): void {
    this.#byWorld.of(world).delete(address)
  }
}

/** Services and ingress controllers draw from one pool. */
export const balancerAddresses = new BalancerAddresses()
