// Addresses: of nodes, and of pods from the range of their node, given out in order as host-local does.

const podNetwork = 244

/** Address of the node with this number: 172.18.0.2 and on. */
export function nodeAddress(index: number): string {
  const host = index + 2
  return `172.${18 + Math.floor(host / 65536)}.${Math.floor(host / 256) % 256}.${host % 256}`
}

/** Range of the pods of a node: 10.244.0.0/24 and on; from the 257th node 10.129.0.0/24 and on. */
export function podRange(index: number): string {
  const block = Math.floor(index / 256)
  return `10.${block === 0 ? podNetwork : 128 + block}.${index % 256}.0/24`
}

/** Hosts .2 to .254 of a /24; when they are all taken, pods share the last one rather than wait. */
export class IpPool {
  readonly #prefix: string
  readonly #taken = new Set<number>()
  #last = 1

  constructor(range: string) {
    this.#prefix = range.slice(0, range.lastIndexOf('.') + 1)
  }

  take(): string {
    for (let tries = 0; tries < 253; tries += 1) {
      this.#last = this.#last >= 254 ? 2 : this.#last + 1
      if (this.#taken.has(this.#last)) continue
      this.#taken.add(this.#last)
      return `${this.#prefix}${this.#last}`
    }
    return `${this.#prefix}254`
  }

  /** Notes an address that is in use already. */
  keep(ip: string): void {
    if (ip.startsWith(this.#prefix)) this.#taken.add(Number(ip.slice(this.#prefix.length)))
  }

  give(ip: string): void {
    if (ip.startsWith(this.#prefix)) this.#taken.delete(Number(ip.slice(this.#prefix.length)))
  }
}
